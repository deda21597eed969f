import { readFile } from 'node:fs/promises'
import { webhookSecret, webhookSecretFile } from '@panoptes/engine/home'
import {
  HERMES_EVENTS,
  hermesConfigFile,
  hermesEditor,
  quoted,
  SECRET_VARIABLE,
  scriptFile,
  WEBHOOK_NAME,
} from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { orFail } from '../../failure.ts'
import { tilde } from '../../terminal/words.ts'
import { loadConfig } from '../config.ts'
import { agentAddress } from './address.ts'
import { chosenEvents } from './events.ts'
import type { HookOptions, Wanted } from './options.ts'

const SECONDS = 5

export function wantedForHermes(context: Context, options: HookOptions): Promise<Wanted> {
  return options.shell ? shellHooks(context, options) : webhook(context, options)
}

/** Signed webhooks: no process for a call, and no agent that waits. */
async function webhook(context: Context, options: HookOptions): Promise<Wanted> {
  const { config } = await loadConfig(context)
  const events = chosenEvents(options.events, HERMES_EVENTS, HERMES_EVENTS)
  const address = await agentAddress(context, config)
  const secret = await secretOf(context, options)
  const file = hermesConfigFile(context.env)
  const by = options.secretEnv ? { secret_env: SECRET_VARIABLE } : { secret }
  const entry = { name: WEBHOOK_NAME, url: `${address}/hooks/hermes`, events, ...by, timeout: SECONDS }
  const notes = [
    `They go to ${address}. After a change of the port, install them again.`,
    ...(options.secretEnv
      ? [
          `Hermes needs the secret: put ${SECRET_VARIABLE}=… with what is in ${tilde(webhookSecretFile(context.paths))} into its .env.`,
        ]
      : []),
    'While Panoptes is away, what happens is lost: Hermes tries once more and keeps nothing.',
    'Hermes reads its config when it starts. In safe mode it sends none.',
  ]
  const editor = hermesEditor(file, { form: 'webhook', webhook: entry }, secret)
  return { editor, events, form: 'webhook', script: false, notes }
}

/** Commands that Hermes runs: nothing is lost while Panoptes is away, and each call waits for one. */
async function shellHooks({ env, paths }: Context, options: HookOptions): Promise<Wanted> {
  const events = chosenEvents(options.events, HERMES_EVENTS, HERMES_EVENTS)
  const hook = { command: `${quoted(scriptFile(paths))} hermes ${quoted(paths.home)}`, timeout: SECONDS }
  const notes = [
    'Hermes runs a shell hook only after you agree, once for each event: start it in a terminal and say yes.',
    'Without a terminal it skips them silently unless it is started with --accept-hooks or HERMES_ACCEPT_HOOKS=1.',
    'Each call of a tool waits for the hook. Webhooks, without --shell, do not.',
  ]
  const editor = hermesEditor(hermesConfigFile(env), { form: 'shell', events, hook }, null)
  return { editor, events, form: 'shell', script: true, notes }
}

export const anyHermes = async ({ env, paths }: Context) =>
  hermesEditor(hermesConfigFile(env), { form: 'none' }, await knownSecret(webhookSecretFile(paths)))

/** A dry run makes no secret: any serves, because none is shown. */
async function secretOf({ paths }: Context, { dryRun }: HookOptions): Promise<string> {
  if (!dryRun) return orFail(await webhookSecret(paths))
  return (await knownSecret(webhookSecretFile(paths))) ?? 'x'.repeat(43)
}

async function knownSecret(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}
