import type { Config } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { ask, canAsk } from '../terminal/confirm.ts'
import { writeSetting } from './config.ts'

/**
 * Asks whether to keep the files of sessions, because that is the one thing that Panoptes keeps with secrets in it.
 * Without a terminal nobody can answer, so the setting stays as it is.
 */
export async function askForOriginals(context: Context, config: Config, confirm = ask): Promise<Config> {
  const { output } = context
  const { enabled, originals } = config.archive
  if (!enabled || originals || output.json || !canAsk()) return config
  output.note(
    [
      'Agents delete old sessions (Claude Code after 30 days). Panoptes keeps their messages without recognizable secrets.',
      'It can also keep their files as they are, so that you can restore a deleted session and continue it. Secrets stay in',
      'these files. Only you can read them, and they never leave this computer.',
    ].join('\n'),
  )
  const isWanted = await confirm('Keep the files of sessions, too?')
  output.note(`To change this later: ${output.command} config set archive.originals ${!isWanted}`)
  return isWanted ? (await writeSetting(context, 'archive.originals', 'true')).config : config
}
