/*
 * pq_library: PostgreSQL's client library, loaded when a database of it is first used.
 *
 * With all that it pulls in (TLS, Kerberos, LDAP) it costs six times the rest of the
 * program before main() is reached.  Whoever includes this instead of <libpq-fe.h> calls
 * PQ...() as ever, after ik_pq_library_load() has succeeded once.
 *
 * Owns the table of functions, which lives as long as the process.
 * May include: util, <libpq-fe.h>.
 */
#ifndef IK_STORE_POSTGRES_PQ_LIBRARY_H
#define IK_STORE_POSTGRES_PQ_LIBRARY_H

#include <libpq-fe.h>

#include "util/err.h"

/* Load it, unless that was done; the error names the library. */
enum ik_status ik_pq_library_load(struct ik_error *error) IK_MUST_USE;

/* Every function that the store calls. */
/* clang-format off */
#define IK_PQ_FUNCTIONS(FUNCTION) \
	FUNCTION(backendPID) FUNCTION(clear) FUNCTION(conndefaults) FUNCTION(connectPoll) \
	FUNCTION(connectStartParams) FUNCTION(conninfoFree) FUNCTION(conninfoParse) \
	FUNCTION(consumeInput) FUNCTION(enterPipelineMode) FUNCTION(errorMessage) \
	FUNCTION(finish) FUNCTION(flush) FUNCTION(freemem) FUNCTION(getResult) \
	FUNCTION(getisnull) FUNCTION(getlength) FUNCTION(getvalue) FUNCTION(host) FUNCTION(hostaddr) \
	FUNCTION(isBusy) FUNCTION(nfields) FUNCTION(notifies) FUNCTION(ntuples) \
	FUNCTION(pipelineSync) FUNCTION(port) FUNCTION(resultErrorField) \
	FUNCTION(resultStatus) FUNCTION(sendQuery) FUNCTION(sendQueryParams) \
	FUNCTION(setNoticeProcessor) FUNCTION(setnonblocking) FUNCTION(socket) \
	FUNCTION(status)
/* clang-format on */

struct ik_pq_library {
#define IK_PQ_MEMBER(name) __typeof__(PQ##name) *name;
	IK_PQ_FUNCTIONS(IK_PQ_MEMBER)
#undef IK_PQ_MEMBER
};
extern struct ik_pq_library ik_pq;

#ifndef IK_PQ_LIBRARY_LOADER
#define PQbackendPID ik_pq.backendPID
#define PQclear ik_pq.clear
#define PQconndefaults ik_pq.conndefaults
#define PQconnectPoll ik_pq.connectPoll
#define PQconnectStartParams ik_pq.connectStartParams
#define PQconninfoFree ik_pq.conninfoFree
#define PQconninfoParse ik_pq.conninfoParse
#define PQconsumeInput ik_pq.consumeInput
#define PQenterPipelineMode ik_pq.enterPipelineMode
#define PQerrorMessage ik_pq.errorMessage
#define PQfinish ik_pq.finish
#define PQflush ik_pq.flush
#define PQfreemem ik_pq.freemem
#define PQgetResult ik_pq.getResult
#define PQgetisnull ik_pq.getisnull
#define PQgetlength ik_pq.getlength
#define PQgetvalue ik_pq.getvalue
#define PQhost ik_pq.host
#define PQhostaddr ik_pq.hostaddr
#define PQisBusy ik_pq.isBusy
#define PQnfields ik_pq.nfields
#define PQnotifies ik_pq.notifies
#define PQntuples ik_pq.ntuples
#define PQpipelineSync ik_pq.pipelineSync
#define PQport ik_pq.port
#define PQresultErrorField ik_pq.resultErrorField
#define PQresultStatus ik_pq.resultStatus
#define PQsendQuery ik_pq.sendQuery
#define PQsendQueryParams ik_pq.sendQueryParams
#define PQsetNoticeProcessor ik_pq.setNoticeProcessor
#define PQsetnonblocking ik_pq.setnonblocking
#define PQsocket ik_pq.socket
#define PQstatus ik_pq.status
#endif

#endif
