import { readFile } from 'node:fs/promises'
import {
  createHome,
  nearest,
  openTokens,
  tokenFile,
  valueAt,
  webhookSecret,
  webhookSecretFile,
} from '@panoptes/engine/home'
import {
  CLAUDE_EVENTS,
  claudeEditor,
  claudeSettingsFile,
  type Editor,
  HERMES_EVENTS,
  hermesConfigFile,
  hermesEditor,
  hookCommand,
  MORE_CLAUDE_EVENTS,
  placeScript,
  planInstall,
  planRemove,
  SECRET_VARIABLE,
  scriptFile,
  supportedHermesEvents,
  WEBHOOK_NAME,
} from '@panoptes/engine/hooks'
import { hermesSendsWebhooks, installedHermesVersion } from '@panoptes/engine/sources'
import type { Context } from '../../context.ts'
import { orFail, usageFailure } from '../../failure.ts'
import { plural, shortenPath } from '../../terminal/format.ts'
import { loadConfig } from '../config.ts'
import { agentAddress } from './address.ts'
import { shippedScript } from './script-path.ts'
import { backupLines, CORRECT, diffLines, planDocument } from './show-plan.ts'

export async function installHooks(context: Context, agent: string, options: HookOptions): Promise<void> {
  const { paths, output } = context
  const wanted = await findConnection(agent, options).planHooks(context, options)
  const plan = orFail(await planInstall(paths, wanted.editor), CORRECT)
  if (!options.dryRun) {
    orFail(await createHome(paths))
    if (wanted.script) orFail(await placeScript(paths, shippedScript()))
    orFail(await plan.apply())
  }
  const { events, form, notes } = wanted
  const file = shortenPath(plan.file)
  const message = !plan.changed
    ? `${file} is up to date`
    : options.dryRun
      ? `Dry run: would write this to ${file}`
      : `Wrote ${file}: ${plural(events.length, 'hook')} ${events.length === 1 ? 'reports' : 'report'} to Panoptes`
  output.answer(
    [...diffLines(context, plan), message, ...backupLines(plan, options), ...(plan.changed ? notes : [])],
    {
      ok: true,
      agent,
      dry_run: options.dryRun === true,
      ...planDocument(plan),
      form,
      events,
      notes,
    },
  )
}

export async function uninstallHooks(context: Context, agent: string, options: HookOptions): Promise<void> {
  const editor = await findConnection(agent, options).findEditor(context, options)
  const plan = orFail(await planRemove(context.paths, editor), CORRECT)
  if (!options.dryRun) orFail(await plan.apply())
  const file = shortenPath(plan.file)
  const message = !plan.changed
    ? `No Panoptes hooks in ${file}`
    : options.dryRun
      ? `Dry run: would remove this from ${file}`
      : `Removed the Panoptes hooks from ${file}`
  context.output.answer([...diffLines(context, plan), message], {
    ok: true,
    agent,
    dry_run: options.dryRun === true,
    ...planDocument(plan),
  })
}

async function planClaudeCode(context: Context, options: HookOptions): Promise<HookPlan> {
  const { config } = await loadConfig(context)
  const events = parseEvents(options.events, CLAUDE_EVENTS, [...CLAUDE_EVENTS, ...MORE_CLAUDE_EVENTS])
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
    ...(http ? [`HTTP hooks send to ${http.address}. If you change the port, install the hooks again.`] : []),
    ...(preferHttp ? [LOST] : []),
    ...(seconds > 0 ? [`A permission request waits up to ${seconds} s for an answer from the page.`] : []),
    'Sessions that are already running may need a restart before they use the hooks.',
  ]
  return { editor, events, form: preferHttp ? 'http' : 'command', script: true, notes }
}

const LOST =
  'While Panoptes is not running, HTTP hooks lose everything except the start of a session. ' +
  'Without --http nothing is lost. HTTP hooks also drop payloads over 16 MB; without --http their beginning is kept.'

/** Builds the removal of all our hooks. The install options do not matter for it. */
const planClaudeCodeRemoval = (context: Context, { scope }: HookOptions) =>
  claudeEditor(claudeSettingsFile(scope, context.env, process.cwd()), {
    events: [],
    script: '',
    home: '',
    http: null,
    preferHttp: false,
    answerSeconds: 0,
  })

/** A dry run creates no token. Any valid one works, because it is not shown. */
async function ingestToken({ paths }: Context, { dryRun }: HookOptions): Promise<string> {
  if (!dryRun) return orFail(await openTokens(paths)).read('ingest')
  const text = await readFile(tokenFile(paths, 'ingest'), 'utf8').catch(() => `pn_ing_${'x'.repeat(43)}`)
  return text.trim()
}

const SECONDS = 5

/** Detects what the installed Hermes supports. Every version runs shell hooks; only newer ones send webhooks. */
async function planHermes(context: Context, options: HookOptions): Promise<HookPlan> {
  const version = await installedHermesVersion(context.env)
  const sends = version === null ? options.secretEnv === true : hermesSendsWebhooks(version)
  if (sends && !options.shell) return planWebhook(context, options)
  if (options.secretEnv && !options.shell)
    throw usageFailure(
      `Hermes ${version} does not support webhooks, and shell hooks do not use a secret`,
      'Remove --secret-env.',
    )
  return planShellHooks(context, options, version)
}

/** Signed webhooks need no process per call and do not delay the agent. */
async function planWebhook(context: Context, options: HookOptions): Promise<HookPlan> {
  const { config } = await loadConfig(context)
  const events = parseEvents(options.events, HERMES_EVENTS, HERMES_EVENTS)
  const address = await agentAddress(context, config)
  const secret = await readOrCreateSecret(context, options)
  const file = hermesConfigFile(context.env)
  const by = options.secretEnv ? { secret_env: SECRET_VARIABLE } : { secret }
  const entry = { name: WEBHOOK_NAME, url: `${address}/hooks/hermes`, events, ...by, timeout: SECONDS }
  const notes = [
    `Hermes sends events to ${address}. If you change the port, install the hooks again.`,
    ...(options.secretEnv
      ? [
          `Hermes needs the secret. Add ${SECRET_VARIABLE}=… to its .env, with the content of ${shortenPath(webhookSecretFile(context.paths))}.`,
        ]
      : []),
    'While Panoptes is not running, events are lost: Hermes retries once and does not store them.',
    'Hermes reads its config when it starts. In safe mode it sends no webhooks.',
  ]
  const editor = hermesEditor(file, { form: 'webhook', webhook: entry }, secret)
  return { editor, events, form: 'webhook', script: false, notes }
}

/** Shell commands lose nothing while Panoptes is not running, but each tool call waits for one. */
async function planShellHooks(
  { env, paths }: Context,
  options: HookOptions,
  version: string | null,
): Promise<HookPlan> {
  const supported = supportedHermesEvents(version)
  const events = parseEvents(options.events, supported, supported)
  const hook = { command: hookCommand(scriptFile(paths), ['hermes', paths.home]), timeout: SECONDS }
  const notes = [
    ...(options.shell ? [] : [explainShellHooks(version)]),
    'Hermes asks once per event before it runs a shell hook: start it in a terminal and agree.',
    'Without a terminal it silently skips them unless you start it with --accept-hooks or HERMES_ACCEPT_HOOKS=1.',
    'Each tool call waits for the hook.',
  ]
  const editor = hermesEditor(hermesConfigFile(env), { form: 'shell', events, hook }, null)
  return { editor, events, form: 'shell', script: true, notes }
}

const explainShellHooks = (version: string | null): string =>
  version === null
    ? 'Hermes was not found in PATH, so these are shell hooks, which every version supports.'
    : `Hermes ${version} does not support webhooks, so these are shell hooks.`

const planHermesRemoval = async ({ env, paths }: Context) =>
  hermesEditor(hermesConfigFile(env), { form: 'none' }, await readSecret(webhookSecretFile(paths)))

/** A dry run creates no secret. Any one works, because it is not shown. */
async function readOrCreateSecret({ paths }: Context, { dryRun }: HookOptions): Promise<string> {
  if (!dryRun) return orFail(await webhookSecret(paths))
  return (await readSecret(webhookSecretFile(paths))) ?? 'x'.repeat(43)
}

async function readSecret(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

/** Installs and removes the hooks of one agent. */
interface Connection {
  readonly planHooks: (context: Context, options: HookOptions) => Promise<HookPlan>
  readonly findEditor: (context: Context, options: HookOptions) => Promise<Editor>
  /** Options that do not apply to this agent. */
  readonly refused: readonly (keyof HookOptions)[]
}

const CONNECTIONS: Readonly<Record<string, Connection>> = {
  'claude-code': {
    planHooks: planClaudeCode,
    findEditor: async (context, options) => planClaudeCodeRemoval(context, options),
    refused: ['shell', 'secretEnv'],
  },
  hermes: { planHooks: planHermes, findEditor: planHermesRemoval, refused: ['http'] },
}

const FLAGS: Readonly<Partial<Record<keyof HookOptions, string>>> = {
  shell: '--shell',
  secretEnv: '--secret-env',
  http: '--http',
}

export function findConnection(agent: string, options: HookOptions): Connection {
  const found = CONNECTIONS[agent]
  const agentNames = Object.keys(CONNECTIONS).join(', ')
  if (found === undefined)
    throw usageFailure(`Panoptes cannot connect ${agent}`, `Choose one of: ${agentNames}`)
  const wrong = found.refused.find((option) => options[option] === true)
  if (wrong)
    throw usageFailure(
      `${FLAGS[wrong]} does not apply to ${agent}`,
      `Remove it, or choose another agent: ${agentNames}`,
    )
  if (agent === 'hermes' && options.scope === 'project') {
    throw usageFailure('Hermes has no project settings', 'Remove --scope.')
  }
  return found
}

interface HookOptions {
  readonly scope: 'user' | 'project'
  readonly dryRun?: boolean
  readonly http?: boolean
  readonly events?: string
  readonly shell?: boolean
  readonly secretEnv?: boolean
}

/** A planned change and notes for the user. */
interface HookPlan {
  readonly editor: import('@panoptes/engine/hooks').Editor
  readonly events: readonly string[]
  readonly form: string
  /** Whether the hook script must be installed. */
  readonly script: boolean
  readonly notes: readonly string[]
}

/** Parses `--events`, with the default events if it is absent. An unknown name is rejected with the closest match. */
export function parseEvents(
  text: string | undefined,
  standard: readonly string[],
  supported: readonly string[],
): readonly string[] {
  if (text === undefined) return standard
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  for (const name of names) {
    if (supported.includes(name)) continue
    const close = nearest(name, supported)
    const why = name === 'WorktreeCreate' ? ': its hook would replace what Claude Code does' : ''
    const next = close && why === '' ? `Did you mean ${close}?` : `Choose from: ${supported.join(', ')}`
    throw usageFailure(`Panoptes does not support the hook event ${name}${why}`, next)
  }
  if (names.length > 0) return [...new Set(names)]
  throw usageFailure(
    '--events is empty',
    'Name at least one event, or omit --events to use the default ones.',
  )
}
