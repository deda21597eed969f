import { utimes } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { checkHub, hubName, hubUrl, restartMark } from '@panoptes/engine/forward'
import {
  createHome,
  editConfig,
  fileFailure,
  forwardTokenFile,
  isConfigPending,
  isLoopback,
  keepForwardToken,
  type Paths,
  parseToken,
  readConfigText,
  readDaemonFile,
  readForwardToken,
  replaceFile,
} from '@panoptes/engine/home'
import { type ForwardConfig, type Forwarded, type ForwardStatus, hubAddress } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { waitingWords } from '../../daemon/forward-checks.ts'
import { isMade, placeOf } from '../../daemon/place.ts'
import { CommandFailure, EXIT, orFail, toCommandFailure } from '../../failure.ts'
import { sendJson } from '../../json-requests.ts'
import { loadConfig } from '../config.ts'
import { installService } from '../service/service.ts'
import { up } from '../up.ts'

export interface ForwardCommand {
  readonly to?: string
  readonly tokenFile?: string
  readonly what?: Forwarded
  readonly fromStart?: boolean
  readonly service?: boolean
  readonly off?: boolean
  readonly check: boolean
  readonly port?: number
  readonly detach?: boolean
}

export async function forward(context: Context, options: ForwardCommand): Promise<void> {
  const { config } = await loadConfig(context)
  if (options.off) return turnOff(context)
  if (placeOf(context, config).kind === 'postgres') throw isHub()
  const to = options.to === undefined ? config.forward.to : parseHubAddress(options.to)
  if (to === null) throw noHub()
  const token = await resolveToken(context, options.tokenFile, config.forward)
  if (options.check) await testHub(context, to, token.token)
  const wasPending = await isConfigPending(context.paths)
  await keepSettings(context, { to, what: options.what, token })
  const client = await connect(context.paths)
  if (client) await applySettings(client, options.fromStart === true)
  if (client && !wasPending) await markConfigApplied(context.paths)
  else if (options.fromStart) await restart(context, to)
  if (options.service) return installService(context, { now: client === undefined })
  if (!client) return up(context, { open: false, ...upOptions(options) })
  const { forward: status } = await client.json<{ forward?: ForwardStatus }>('/api/status')
  context.output.answer(
    [
      `Panoptes at ${client.address} sends to ${hubName(hubUrl(to))}${status ? `: ${waitingWords(status, Date.now())}` : ''}`,
      'Check progress with: panoptes status',
    ],
    { ok: true, already_running: true, address: client.address, pid: client.pid, forward: status ?? null },
  )
}

const upOptions = ({ port, detach }: ForwardCommand) => ({
  ...(port === undefined ? {} : { port }),
  ...(detach === undefined ? {} : { detach }),
})

/** Reports problems before it changes anything. */
async function testHub({ output }: Context, to: string, token: string): Promise<void> {
  const url = hubUrl(to)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    output.note(
      `${hubName(url)} uses plain HTTP: anyone on the network can read the token and everything sent.`,
    )
  const { signal } = new AbortController()
  const contacted = await checkHub(to, async () => success(token), signal)
  if (contacted.ok) {
    output.note(`${contacted.to} (version ${contacted.version}) accepts the token`)
    return
  }
  const { kind, message, next } = contacted.problem
  const wait = kind === 'token' || kind === 'address' ? '' : ' To set it up anyway, add --no-check.'
  throw new CommandFailure(message, { code: `hub_${kind}`, next: `${next}${wait}` })
}

/** A running Panoptes applies the settings immediately. */
async function applySettings(client: Client, fromStart: boolean): Promise<void> {
  try {
    await sendJson(client, 'POST', '/api/forward', { from_start: fromStart })
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'not_found') throw error
    throw new CommandFailure(`Panoptes ${client.version} at ${client.address} cannot forward`, {
      code: 'older',
      next: 'The settings are saved. Restart Panoptes with: panoptes stop && panoptes up',
    })
  }
}

/** Without a running Panoptes the command resets the forwarding position itself. */
async function restart(context: Context, to: string): Promise<void> {
  const place = placeOf(context, (await loadConfig(context)).config)
  if (!isMade(place)) return
  const store = await openStore(context, place)
  try {
    orFail(await restartMark(store, to))
  } finally {
    await store.close()
  }
}

async function turnOff(context: Context): Promise<void> {
  const wasPending = await isConfigPending(context.paths)
  await keepSettings(context, { to: null })
  const client = await connect(context.paths)
  if (client) await applySettings(client, false)
  if (client && !wasPending) await markConfigApplied(context.paths)
  context.output.answer(
    ['Forwarding is off. Sent events stay on the hub, and the token stays in this home'],
    { ok: true, forward: null },
  )
}

const noHub = (): CommandFailure =>
  new CommandFailure('No hub is set', {
    code: 'usage',
    next: 'Set one: panoptes forward --to https://panoptes.example --token-file FILE',
    exit: EXIT.usage,
  })

const isHub = (): CommandFailure =>
  new CommandFailure(
    'This home is a hub (its store is a database), and a hub cannot forward to another hub',
    {
      code: 'is_hub',
      next: 'Run this on the computers with agents, or in another home: PANOPTES_HOME=… panoptes forward --to URL',
      exit: EXIT.usage,
    },
  )

interface ForwardSettings {
  readonly to: string | null
  readonly what?: Forwarded | undefined
  readonly token?: ForwardToken | undefined
}

/** Writes the settings to config.yaml and the token to the tokens folder. Other settings stay unchanged. */
export async function keepSettings({ paths }: Context, { to, what, token }: ForwardSettings): Promise<void> {
  orFail(await createHome(paths))
  if (token?.isNew) orFail(await keepForwardToken(paths, token.token))
  const changes: (readonly [key: string, value: string])[] = [
    ['forward.to', to ?? 'null'],
    ...(what === undefined ? [] : [['forward.what', what] as const]),
    ...(token?.isNew ? [['forward.token_file', 'null'] as const] : []),
  ]
  const before = orFail(await readConfigText(paths))
  let text = before
  for (const [key, value] of changes) text = orFail(editConfig(text, key, value, paths.config))
  if (text === before) return
  try {
    await replaceFile(paths.config, text)
  } catch (error) {
    throw toCommandFailure(fileFailure(error, paths.config, 'write'))
  }
}

/** The running Panoptes has already applied the new settings, so it must not ask for a restart because of them. */
async function markConfigApplied(paths: Paths): Promise<void> {
  const daemon = await readDaemonFile(paths)
  if (!daemon) return
  const started = (daemon.started_at - 1) / 1_000
  await utimes(paths.config, started, started).catch(() => undefined)
}

/** Checks the typed hub address. A password in it would end up in a file that others may read. */
export function parseHubAddress(typed: string): string {
  const checked = hubAddress.safeParse(typed)
  if (!checked.success)
    throw usageError(`--to ${checked.error.issues[0]?.message ?? 'must be the address of a hub'}`)
  const { username, password } = new URL(checked.data)
  if (username !== '' || password !== '') throw usageError('--to must not contain a user name or password')
  return checked.data
}

const usageError = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'For example: panoptes forward --to https://panoptes.example --token-file FILE',
    exit: EXIT.usage,
  })

/** A token, and whether to save it in the home. */
interface ForwardToken {
  readonly token: string
  readonly isNew: boolean
}

const MAKE_ONE =
  'Create one on the hub with: panoptes team tokens create --label NAME --scope ingest. Then run: panoptes forward --to URL --token-file FILE'

/** Reads the given or saved token, never from the command line, which other users can see. */
export async function resolveToken(
  { env, paths }: Context,
  file: string | undefined,
  settings: ForwardConfig,
): Promise<ForwardToken> {
  if (file === '-') return parseNewToken(await text(process.stdin))
  if (file !== undefined) return { token: orFail(await readForwardToken(file), MAKE_ONE), isNew: true }
  if (env.PANOPTES_FORWARD_TOKEN) return parseNewToken(env.PANOPTES_FORWARD_TOKEN)
  const stored = await readForwardToken(settings.token_file ?? forwardTokenFile(paths))
  if (stored.ok) return { token: stored.value, isNew: false }
  if (stored.code !== 'not_found')
    throw new CommandFailure(stored.message, { code: stored.code, next: MAKE_ONE })
  throw new CommandFailure('This home has no token for the hub yet', {
    code: 'no_token',
    next: MAKE_ONE,
    exit: EXIT.usage,
  })
}

const parseNewToken = (input: string): ForwardToken => ({
  token: orFail(parseToken(input), MAKE_ONE),
  isNew: true,
})
