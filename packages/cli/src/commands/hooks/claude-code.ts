import { readFile } from 'node:fs/promises'
import { openTokens, tokenFile, valueAt } from '@panoptes/engine/home'
import {
  CLAUDE_EVENTS,
  claudeEditor,
  claudeSettingsFile,
  MORE_CLAUDE_EVENTS,
  scriptFile,
} from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import { agentAddress } from './address.ts'
import { chosenEvents } from './events.ts'
import type { HookOptions, Wanted } from './options.ts'

export async function wantedForClaudeCode(context: Context, options: HookOptions): Promise<Wanted> {
  const { config } = await loadConfig(context)
  const events = chosenEvents(options.events, CLAUDE_EVENTS, [...CLAUDE_EVENTS, ...MORE_CLAUDE_EVENTS])
  const seconds = Number(valueAt(config, 'live.answer_seconds') ?? 0)
  const preferHttp = options.http === true
  const needsHttp = preferHttp || (seconds > 0 && events.includes('PermissionRequest'))
  const http = needsHttp
    ? { address: await agentAddress(context, config), token: await ingestToken(context, options) }
    : null
  const editor = claudeEditor(claudeSettingsFile(options.scope, context.env, process.cwd()), {
    events,
    script: scriptFile(context.paths),
    home: context.paths.home,
    http,
    preferHttp,
    answerSeconds: seconds,
  })
  const notes = [
    ...(http
      ? [`Over http they go to ${http.address}. After a change of the port, install them again.`]
      : []),
    ...(preferHttp ? [LOST] : []),
    ...(seconds > 0 ? [`A permission waits up to ${seconds} s for an answer from the page.`] : []),
    'A session that runs already may take them up only when it is started again.',
  ]
  return { editor, events, form: preferHttp ? 'http' : 'command', script: true, notes }
}

const LOST =
  'While Panoptes is away, everything but the start of a session is lost: an http hook keeps nothing. ' +
  'Without --http nothing is lost. Of a payload over 16 MB nothing is kept; without --http its beginning is.'

/** Everything that takes ours out again; what it would install does not matter. */
export const anyClaudeCode = (context: Context, { scope }: HookOptions) =>
  claudeEditor(claudeSettingsFile(scope, context.env, process.cwd()), {
    events: [],
    script: '',
    home: '',
    http: null,
    preferHttp: false,
    answerSeconds: 0,
  })

/** A dry run makes no token: any of the right shape serves, because none is shown. */
async function ingestToken({ paths }: Context, { dryRun }: HookOptions): Promise<string> {
  if (!dryRun) return orFail(await openTokens(paths)).read('ingest')
  const text = await readFile(tokenFile(paths, 'ingest'), 'utf8').catch(() => `pn_ing_${'x'.repeat(43)}`)
  return text.trim()
}
