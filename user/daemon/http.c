// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTTP server: a thread of libmicrohttpd's, and what a client may take of it
 *
 * It never holds up the loop: it has a thread of its own, and shares with the loop what is on the board. Connections,
 * their number from one address, the length of what is asked and the time without a byte are bounded by the library;
 * that a client sends a byte now and then for ever, or takes an answer that slowly, is ended by the loop's turns.
 */
#include "daemon/http.h"

#include "clock.h"
#include "daemon/board.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 64
#define CONNECTIONS_OF_ONE 48
#define IDLE_S 15 /* without a byte */
#define REQUEST_NS 30000000000ULL /* from its beginning to the end of its answer */
#define REQUEST_BYTES (16 << 10) /* of its head; as much is used to send it */
#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* A connection since its last answer; @fd is -1 if it is none. */
struct open_connection {
	struct tl_http *http;
	u64 since_ns;
	int fd;
};

/**
 * struct tl_http - A server that is running
 * @fd: that it listens on
 * @lock: protects @open
 * @said: what the library said last
 */
struct tl_http {
	struct MHD_Daemon *daemon;
	struct tl_listen at;
	struct tl_tls tls;
	struct tl_http_pages pages;
	pthread_mutex_t lock;
	struct open_connection open[CONNECTIONS];
	int fd;
	char said[200];
};

/* ---- what is asked for --------------------------------------------------- */

static int secrets_read(struct tl_http_plan *plan, const struct tl_http_options *options, tl_http_mistake_fn *mistake,
			void *arg)
{
	struct tl_error err;
	int code = 0;

	if (!options->tls_cert != !options->tls_key) {
		code = tl_error_set(&err, -EINVAL, "%s is of no use alone: give --tls-cert and --tls-key",
				    options->tls_cert ? "--tls-cert" : "--tls-key");
		mistake(&err, arg);
	} else if (options->tls_cert && tl_tls_read(&plan->tls, options->tls_cert, options->tls_key, &err)) {
		code = -EINVAL;
		mistake(&err, arg);
	}
	if (options->token_file && tl_token_read(&plan->token, options->token_file, &err)) {
		code = -EINVAL;
		mistake(&err, arg);
	}
	return code;
}

/**
 * tl_http_plan() - Look at the options, and read what they name
 * @plan: filled in, to be given to tl_http_plan_free()
 * @options: options
 * @mistake: told of each mistake
 * @arg: for it
 *
 * Return: 0 or -EINVAL.
 */
int tl_http_plan(struct tl_http_plan *plan, const struct tl_http_options *options, tl_http_mistake_fn *mistake, void *arg)
{
	struct tl_error err;
	int code;

	memset(plan, 0, sizeof(*plan));
	code = tl_listen_read(&plan->at, options->listen, &err);
	if (code)
		mistake(&err, arg);
	if (!code && plan->at.len && !tl_listen_is_loopback(&plan->at) && !options->token_file) {
		code = tl_error_set(&err, -EINVAL, "%s can be reached from other hosts, and whoever asks would be told "
				    "all: give --token-file, or listen on 127.0.0.1", options->listen);
		mistake(&err, arg);
	}
	if (secrets_read(plan, options, mistake, arg))
		code = -EINVAL;
	if (code)
		tl_http_plan_free(plan);
	return code;
}

/**
 * tl_http_plan_free() - Forget it
 * @plan: plan, also one that came to nothing
 */
void tl_http_plan_free(struct tl_http_plan *plan)
{
	tl_tls_free(&plan->tls);
	explicit_bzero(&plan->token, sizeof(plan->token));
}

/**
 * tl_http_is_bare() - Do tokens go over a network as they are?
 * @plan: plan
 *
 * Return: true or false.
 */
bool tl_http_is_bare(const struct tl_http_plan *plan)
{
	return plan->at.len && !tl_listen_is_loopback(&plan->at) && !plan->tls.cert;
}

/* ---- connections --------------------------------------------------------- */

static struct open_connection *place(struct tl_http *http, int fd)
{
	size_t i;

	for (i = 0; i < CONNECTIONS; i++)
		if (http->open[i].fd < 0) {
			http->open[i] = (struct open_connection){ http, tl_clock_ns(CLOCK_MONOTONIC), fd };
			return &http->open[i];
		}
	return NULL;
}

/* On the server's thread. The library closes the socket only after it has told us. */
static void on_connection(void *arg, struct MHD_Connection *connection, void **socket_context,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct tl_http *http = arg;
	struct open_connection *open = *socket_context;

	pthread_mutex_lock(&http->lock);
	if (what == MHD_CONNECTION_NOTIFY_STARTED && info)
		*socket_context = place(http, info->connect_fd);
	else if (open)
		open->fd = -1;
	pthread_mutex_unlock(&http->lock);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **request,
			 enum MHD_RequestTerminationCode how)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct open_connection *open = info ? info->socket_context : NULL;
	struct tl_http *http = arg;

	(void)request;
	(void)how;
	pthread_mutex_lock(&http->lock);
	if (open)
		open->since_ns = tl_clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&http->lock);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *data, size_t *size, void **request)
{
	struct tl_http *http = arg;
	bool first = !*request;
	int code;

	(void)version;
	(void)data;
	(void)size;
	*request = http;
	/* What is answered at the first call is answered before all is read, and ends the connection. */
	if (first)
		code = tl_http_refuse(&http->pages, connection, method);
	else
		code = tl_http_answer(&http->pages, connection, url);
	return code ? MHD_NO : MHD_YES;
}

/* Paths are compared as they were sent: there is nothing in ours that would have to be written otherwise. */
static size_t unescape(void *arg, struct MHD_Connection *connection, char *text)
{
	(void)arg;
	(void)connection;
	return strlen(text);
}

static void on_said(void *arg, const char *fmt, va_list args)
{
	struct tl_http *http = arg;

	/* While it starts, this is ours; later nobody reads it, and clients could fill a log. */
	if (!http->daemon)
		vsnprintf(http->said, sizeof(http->said), fmt, args);
}

/* ---- begin and end ------------------------------------------------------- */

/* The server takes the socket. */
static int begin(struct tl_http *http, int fd, struct tl_error *err)
{
	unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, http->tls.cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, http->tls.key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (char *)PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	sigset_t all, before;

	if (http->tls.cert)
		flags |= MHD_USE_TLS;
	else
		options[0].option = MHD_OPTION_END;
	if (http->at.addr.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	/* Signals are the loop's: they wake it up. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	http->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_said, http,
					MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
					MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_OF_ONE,
					MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					(size_t)REQUEST_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
					MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_NOTIFY_CONNECTION,
					on_connection, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
					MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (http->daemon)
		return 0;
	close(fd);
	http->said[strcspn(http->said, "\n")] = '\0';
	return tl_error_set(err, -EIO, "the HTTP server does not start (%s): --listen none does without", http->said);
}

static void end(struct tl_http *http)
{
	int fd;

	if (http->daemon) {
		/* Else its end would shut down a socket that others have, too. */
		fd = MHD_quiesce_daemon(http->daemon);
		if (fd >= 0)
			close(fd);
		MHD_stop_daemon(http->daemon);
	}
	if (http->fd >= 0)
		close(http->fd);
	tl_http_pages_free(&http->pages);
	tl_tls_free(&http->tls);
	pthread_mutex_destroy(&http->lock);
	free(http);
}

/**
 * tl_http_open() - Begin to serve
 * @http: set, to be given to tl_http_close()
 * @plan: what was asked for; certificate and key are taken out of it
 * @board: what to tell
 * @old: a server whose socket is taken over if it has the same address, or NULL; it goes on until it is closed
 * @bound: called with @arg when the port is there and before anything is answered, NULL for nobody
 * @arg: for @bound
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; then @old is as it was.
 */
int tl_http_open(struct tl_http **http, struct tl_http_plan *plan, struct tl_board *board, struct tl_http *old,
		 tl_http_bound_fn *bound, void *arg, struct tl_error *err)
{
	struct tl_http *new = calloc(1, sizeof(*new));
	char address[sizeof(board->address)];
	int code, fd;
	size_t i;

	if (!new)
		return tl_error_no_memory(err);
	pthread_mutex_init(&new->lock, NULL);
	for (i = 0; i < CONNECTIONS; i++)
		new->open[i].fd = -1;
	new->at = plan->at;
	new->tls = plan->tls;
	plan->tls = (struct tl_tls){ 0 };
	new->pages.board = board;
	new->pages.token = plan->token;
	if (old && tl_listen_equal(&old->at, &plan->at))
		new->fd = fcntl(old->fd, F_DUPFD_CLOEXEC, 0);
	else
		new->fd = tl_listen_open(&plan->at, err);
	code = min(new->fd, 0);
	if (!code) {
		if (bound)
			bound(tl_listen_port(new->fd), arg);
		fd = fcntl(new->fd, F_DUPFD_CLOEXEC, 0);
		code = fd < 0 ? tl_error_set(err, -errno, "no more files can be opened: raise the limit of open files") :
				begin(new, fd, err);
	}
	if (code) {
		end(new);
		return code;
	}
	*http = new;
	tl_listen_print(address, sizeof(address), new->fd);
	tl_board_address(board, address, new->tls.cert);
	return 0;
}

/**
 * tl_http_port() - Where it serves
 * @http: server, NULL for none
 *
 * Return: the port, 0 for none.
 */
unsigned int tl_http_port(const struct tl_http *http)
{
	return http ? tl_listen_port(http->fd) : 0;
}

/**
 * tl_http_turn() - End connections whose client is too slow
 * @http: server, NULL for none
 */
void tl_http_turn(struct tl_http *http)
{
	const struct linger at_once = { .l_onoff = 1 };
	u64 now = tl_clock_ns(CLOCK_MONOTONIC);
	size_t i;

	if (!http)
		return;
	pthread_mutex_lock(&http->lock);
	for (i = 0; i < CONNECTIONS; i++) {
		if (http->open[i].fd < 0 || now - http->open[i].since_ns <= REQUEST_NS)
			continue;
		/* Nor does the kernel keep what was not taken. */
		setsockopt(http->open[i].fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		shutdown(http->open[i].fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&http->lock);
}

/**
 * tl_http_close() - Serve no longer
 * @http: server, NULL for none
 */
void tl_http_close(struct tl_http *http)
{
	if (http)
		end(http);
}
