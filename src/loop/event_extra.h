/*
 * event_extra: the part of libevent that serves HTTP and asks name servers, loaded
 * when it is first used.
 *
 * A first frame needs none of it, and most sessions neither.  Whoever includes this
 * calls evhttp_...() and evdns_...() as ever, after ik_event_extra_load() has
 * succeeded once.  It is the one that belongs to the libevent_core of this process.
 *
 * Owns the table of functions, which lives as long as the process.
 * May include: util, <event2/...>.
 */
#ifndef IK_LOOP_EVENT_EXTRA_H
#define IK_LOOP_EVENT_EXTRA_H

#include <event2/dns.h>
#include <event2/http.h>

#include "util/err.h"

/* Load it, unless that was done; the error names the library. */
enum ik_status ik_event_extra_load(struct ik_error *error) IK_MUST_USE;

/* Every function of it that is called. */
#define IK_EVENT_EXTRA_FUNCTIONS(FUNCTION) \
	FUNCTION(evdns_base_free) FUNCTION(evdns_base_new) FUNCTION(evdns_getaddrinfo) \
	FUNCTION(evdns_getaddrinfo_cancel) FUNCTION(evhttp_add_header) \
	FUNCTION(evhttp_bind_socket_with_handle) FUNCTION(evhttp_bound_socket_get_fd) \
	FUNCTION(evhttp_bound_socket_get_listener) FUNCTION(evhttp_connection_set_closecb) \
	FUNCTION(evhttp_free) FUNCTION(evhttp_new) FUNCTION(evhttp_request_get_command) \
	FUNCTION(evhttp_request_get_connection) FUNCTION(evhttp_request_get_input_buffer) \
	FUNCTION(evhttp_request_get_output_headers) FUNCTION(evhttp_request_get_uri) \
	FUNCTION(evhttp_send_error) FUNCTION(evhttp_send_reply_chunk) \
	FUNCTION(evhttp_send_reply_end) FUNCTION(evhttp_send_reply_start) \
	FUNCTION(evhttp_set_allowed_methods) FUNCTION(evhttp_set_gencb) \
	FUNCTION(evhttp_set_max_body_size) FUNCTION(evhttp_set_max_headers_size)

struct ik_event_extra {
#define IK_EVENT_EXTRA_MEMBER(name) __typeof__(name) *name##_;
	IK_EVENT_EXTRA_FUNCTIONS(IK_EVENT_EXTRA_MEMBER)
#undef IK_EVENT_EXTRA_MEMBER
};
extern struct ik_event_extra ik_event_extra;

#ifndef IK_EVENT_EXTRA_LOADER
#define evdns_base_free ik_event_extra.evdns_base_free_
#define evdns_base_new ik_event_extra.evdns_base_new_
#define evdns_getaddrinfo ik_event_extra.evdns_getaddrinfo_
#define evdns_getaddrinfo_cancel ik_event_extra.evdns_getaddrinfo_cancel_
#define evhttp_add_header ik_event_extra.evhttp_add_header_
#define evhttp_bind_socket_with_handle ik_event_extra.evhttp_bind_socket_with_handle_
#define evhttp_bound_socket_get_fd ik_event_extra.evhttp_bound_socket_get_fd_
#define evhttp_bound_socket_get_listener ik_event_extra.evhttp_bound_socket_get_listener_
#define evhttp_connection_set_closecb ik_event_extra.evhttp_connection_set_closecb_
#define evhttp_free ik_event_extra.evhttp_free_
#define evhttp_new ik_event_extra.evhttp_new_
#define evhttp_request_get_command ik_event_extra.evhttp_request_get_command_
#define evhttp_request_get_connection ik_event_extra.evhttp_request_get_connection_
#define evhttp_request_get_input_buffer ik_event_extra.evhttp_request_get_input_buffer_
#define evhttp_request_get_output_headers ik_event_extra.evhttp_request_get_output_headers_
#define evhttp_request_get_uri ik_event_extra.evhttp_request_get_uri_
#define evhttp_send_error ik_event_extra.evhttp_send_error_
#define evhttp_send_reply_chunk ik_event_extra.evhttp_send_reply_chunk_
#define evhttp_send_reply_end ik_event_extra.evhttp_send_reply_end_
#define evhttp_send_reply_start ik_event_extra.evhttp_send_reply_start_
#define evhttp_set_allowed_methods ik_event_extra.evhttp_set_allowed_methods_
#define evhttp_set_gencb ik_event_extra.evhttp_set_gencb_
#define evhttp_set_max_body_size ik_event_extra.evhttp_set_max_body_size_
#define evhttp_set_max_headers_size ik_event_extra.evhttp_set_max_headers_size_
#endif

#endif
