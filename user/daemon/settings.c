// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line over the configuration file over what is usual
 *
 * Each is read from the beginning every time, also when the file has changed: so what is left out of it is as usual
 * again. Of patterns, which may be several, those of the command line replace those of the file.
 */
#include "daemon/settings.h"

#include "adapt-args.h"
#include "adaptor.h"
#include "choose-args.h"
#include "cmd.h"
#include "daemon/metrics.h"

#include <stdlib.h>
#include <unistd.h>

/* Lists that the command line has begun, so that it does so once. */
static void list_replace(struct tl_settings *settings, int option, unsigned int *begun)
{
	unsigned int bit = option == 'f' ? 1 : option == 'x' ? 2 : option == 'u' ? 4 : option == 'e' ? 8 : option == 'K' ? 16 : 0;

	if (!bit || *begun & bit)
		return;
	*begun |= bit;
	if (bit == 1)
		settings->daemon.choose.names = 0;
	else if (bit == 2)
		settings->daemon.choose.nots = 0;
	else if (bit == 4)
		settings->daemon.choose.users = 0;
	else if (bit == 8)
		settings->push.labels = 0;
	else
		settings->push.skips = 0;
}

/* Once for where the file is, and once over what it says. Return: TL_GO_ON or the exit status. */
static int arguments(struct tl_settings *settings, const struct tl_cmd *cmd, int argc, char **argv, bool over)
{
	unsigned int begun = 0;
	int option, status = TL_EXIT_OK;

	optind = 0;
	while (!status && (option = tl_args_next(cmd, argc, argv, TL_SETTINGS_SHORTS, tl_settings_options)) >= 0) {
		if (option == 'c')
			settings->config = optarg;
		else if (option == 'C')
			settings->check = true;
		else if (over) {
			list_replace(settings, option, &begun);
			status = tl_settings_take(settings, cmd, option, optarg);
		}
	}
	return status ? status : tl_args_end(cmd, option, argc, argv);
}

/**
 * tl_settings_read() - Read the command line and the configuration file
 * @settings: filled in, to be given to tl_settings_free()
 * @cmd: the command, for sentences
 * @argc: as given to it
 * @argv: as given to it
 *
 * Return: TL_GO_ON, or the exit status after sentences, one for each mistake of the file.
 */
int tl_settings_read(struct tl_settings *settings, const struct tl_cmd *cmd, int argc, char **argv)
{
	int status, file = TL_EXIT_OK;

	*settings = (struct tl_settings){ .daemon.state = TL_ADAPTOR_FILE, .http.listen = TL_LISTEN_DEFAULT,
					  .series = TL_SERIES_DEFAULT, .limits = tl_history_limits,
					  .push.queue_mb = TL_PUSH_QUEUE_MB_DEFAULT };
	tl_adapt_defaults(&settings->daemon.adapt);
	status = arguments(settings, cmd, argc, argv, false);
	if (status != TL_GO_ON)
		return status;
	if (settings->config || !access(TL_CONFIG_DEFAULT, F_OK)) {
		if (!settings->config)
			settings->config = TL_CONFIG_DEFAULT;
		file = tl_settings_file(settings, cmd);
	}
	status = arguments(settings, cmd, argc, argv, true);
	return file && status == TL_GO_ON ? file : status;
}

/**
 * tl_settings_free() - Free them
 * @settings: settings
 */
void tl_settings_free(struct tl_settings *settings)
{
	size_t i;

	for (i = 0; i < settings->texts; i++)
		free(settings->text[i]);
	free(settings->text);
	free(settings->push.label);
	free(settings->push.skip);
	tl_choose_args_free(&settings->daemon.choose);
	memset(settings, 0, sizeof(*settings));
}
