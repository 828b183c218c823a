// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that prove who somebody is: the token of those who ask, the certificate and key of ours. */
#include "daemon/secret.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST (1 << 20)
#define TOKEN_LEAST 16

/* Opened first and looked at then, so that it is the same file. */
static FILE *file_open(const char *name, bool secret, struct tl_error *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	FILE *file;

	if (fd < 0 || fstat(fd, &stat)) {
		tl_error_set(err, -errno, "%s: cannot be read (%s): see that it is there and is root's", name,
			     strerror(errno));
	} else if (!S_ISREG(stat.st_mode)) {
		tl_error_set(err, -EINVAL, "%s: is not a file: name one", name);
	} else if (secret && (stat.st_mode & 07)) {
		tl_error_set(err, -EPERM, "%s: others may read or write it: chmod 600 %s", name, name);
	} else {
		file = fdopen(fd, "r");
		if (file)
			return file;
		tl_error_no_memory(err);
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Return: what is in it, to be freed; NULL if it is not to be had. */
static char *file_read(const char *name, bool secret, size_t *len, struct tl_error *err)
{
	FILE *file = file_open(name, secret, err);
	char *bytes;

	if (!file)
		return NULL;
	bytes = calloc(1, FILE_MOST);
	*len = bytes ? fread(bytes, 1, FILE_MOST, file) : 0;
	if (!bytes) {
		tl_error_no_memory(err);
	} else if (ferror(file) || *len == FILE_MOST) {
		tl_error_set(err, -EINVAL, "%s: cannot be read whole: it should be shorter than a megabyte", name);
		explicit_bzero(bytes, FILE_MOST);
		free(bytes);
		bytes = NULL;
	}
	fclose(file);
	return bytes;
}

static int token_check(const char *bytes, size_t len, const char *file, struct tl_error *err)
{
	size_t i;

	if (len < TOKEN_LEAST || len >= TL_TOKEN_MOST)
		return tl_error_set(err, -EINVAL, "%s: a token has %d to %d characters in one line: openssl rand -hex 24 makes one",
				    file, TOKEN_LEAST, TL_TOKEN_MOST - 1);
	for (i = 0; i < len; i++)
		if (bytes[i] <= ' ' || bytes[i] > '~')
			return tl_error_set(err, -EINVAL, "%s: character %zu of the token is none that a header can hold: "
					    "openssl rand -hex 24 makes one", file, i + 1);
	return 0;
}

/**
 * tl_token_read() - Read the token that whoever asks must have
 * @token: filled in
 * @file: its name; others must not be able to read it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_token_read(struct tl_token *token, const char *file, struct tl_error *err)
{
	size_t len;
	char *bytes = file_read(file, true, &len, err);
	int code;

	memset(token, 0, sizeof(*token));
	if (!bytes)
		return -EINVAL;
	while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r'))
		len--;
	code = token_check(bytes, len, file, err);
	if (!code) {
		memcpy(token->bytes, bytes, len);
		token->len = len;
	}
	explicit_bzero(bytes, FILE_MOST);
	free(bytes);
	return code;
}

/**
 * tl_token_is() - Is that the token?
 * @token: the token
 * @given: what somebody says it is
 *
 * It takes as long whatever is given, so that nothing can be learnt from the time.
 *
 * Return: true or false.
 */
bool tl_token_is(const struct tl_token *token, const char *given)
{
	char padded[TL_TOKEN_MOST] = { 0 };
	size_t len = strnlen(given, sizeof(padded));

	memcpy(padded, given, len);
	return !gnutls_memcmp(padded, token->bytes, sizeof(padded)) && token->len == len && len < sizeof(padded);
}

static int pair_check(const struct tl_tls *tls, const char *cert, const char *key, struct tl_error *err)
{
	gnutls_datum_t a = { (unsigned char *)tls->cert, (unsigned int)strlen(tls->cert) };
	gnutls_datum_t b = { (unsigned char *)tls->key, (unsigned int)strlen(tls->key) };
	gnutls_certificate_credentials_t pair;
	int code;

	if (gnutls_certificate_allocate_credentials(&pair))
		return tl_error_no_memory(err);
	code = gnutls_certificate_set_x509_key_mem(pair, &a, &b, GNUTLS_X509_FMT_PEM);
	gnutls_certificate_free_credentials(pair);
	if (code >= 0)
		return 0;
	return tl_error_set(err, -EINVAL, "%s and %s: no certificate and key in PEM that belong together (%s): see how "
			    "they were made", cert, key, gnutls_strerror(code));
}

/**
 * tl_tls_read() - Read a certificate and its key
 * @tls: filled in, to be given to tl_tls_free()
 * @cert: name of the certificate's file, with those that vouch for it behind it
 * @key: of the key's; others must not be able to read it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_tls_read(struct tl_tls *tls, const char *cert, const char *key, struct tl_error *err)
{
	size_t len;
	int code = -EINVAL;

	tls->key = NULL;
	tls->cert = file_read(cert, false, &len, err);
	if (!tls->cert)
		return -EINVAL;
	tls->key = file_read(key, true, &len, err);
	if (tls->key)
		code = pair_check(tls, cert, key, err);
	if (code)
		tl_tls_free(tls);
	return code;
}

/**
 * tl_tls_free() - Forget them
 * @tls: pair, also if there is none
 */
void tl_tls_free(struct tl_tls *tls)
{
	if (tls->key)
		explicit_bzero(tls->key, FILE_MOST);
	free(tls->key);
	free(tls->cert);
	tls->cert = tls->key = NULL;
}
