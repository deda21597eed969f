import { checkHub, fromStart, hubUrl, nameOf } from '@panoptes/engine/forward'
import { isConfigPending, isLoopback } from '@panoptes/engine/home'
import type { Forwarded, ForwardStatus } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { openLedger } from '../../daemon/access.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { waitingWords } from '../../daemon/forward-checks.ts'
import { isMade, placeOf } from '../../daemon/place.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import { installService } from '../service/service.ts'
import { up } from '../up.ts'
import { addressOr, countAsTaken, keepSettings } from './settings.ts'
import { tokenFor } from './token.ts'

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
  if (options.off) return off(context)
  if (placeOf(context, config).kind === 'postgres') throw isHub()
  const to = options.to === undefined ? config.forward.to : addressOr(options.to)
  if (to === null) throw nowhere()
  const token = await tokenFor(context, options.tokenFile, config.forward)
  if (options.check) await contact(context, to, token.token)
  const wasPending = await isConfigPending(context.paths)
  await keepSettings(context, { to, what: options.what, token })
  const client = await connect(context.paths)
  if (client) await tell(client, options.fromStart === true)
  if (client && !wasPending) await countAsTaken(context.paths)
  else if (options.fromStart) await restart(context, to)
  if (options.service) return installService(context, { now: client === undefined })
  if (!client) return up(context, { open: false, ...only(options) })
  const { forward: status } = await client.json<{ forward?: ForwardStatus }>('/api/status')
  context.output.answer(
    [
      `Panoptes at ${client.address} sends to ${nameOf(hubUrl(to))}${status ? `: ${waitingWords(status, Date.now())}` : ''}`,
      'See how it goes with: panoptes status',
    ],
    { ok: true, already_running: true, address: client.address, pid: client.pid, forward: status ?? null },
  )
}

const only = ({ port, detach }: ForwardCommand) => ({
  ...(port === undefined ? {} : { port }),
  ...(detach === undefined ? {} : { detach }),
})

/** Says what is wrong before anything is changed. */
async function contact({ output }: Context, to: string, token: string): Promise<void> {
  const url = hubUrl(to)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    output.note(
      `${nameOf(url)} is plain HTTP: whoever listens on the network sees the token and all that is sent.`,
    )
  const { signal } = new AbortController()
  const contacted = await checkHub(to, async () => success(token), signal)
  if (contacted.ok) {
    output.note(`${contacted.to} answers, version ${contacted.version}, and takes the token`)
    return
  }
  const { kind, message, next } = contacted.problem
  const wait = kind === 'token' || kind === 'address' ? '' : ' To set it up all the same, add --no-check.'
  throw new CommandFailure(message, { code: `hub_${kind}`, next: `${next}${wait}` })
}

/** A running one takes the settings at once. */
async function tell(client: Client, fromStart: boolean): Promise<void> {
  try {
    await client.json('/api/forward', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from_start: fromStart }),
    })
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'not_found') throw error
    throw new CommandFailure(`Panoptes ${client.version} at ${client.address} does not know how to forward`, {
      code: 'older',
      next: 'The settings are kept. Start it again with: panoptes stop && panoptes up',
    })
  }
}

/** Without a running one the mark is put back by hand. */
async function restart(context: Context, to: string): Promise<void> {
  const place = placeOf(context, (await loadConfig(context)).config)
  if (!isMade(place)) return
  const ledger = await openLedger(context, place)
  try {
    orFail(await fromStart(ledger, to))
  } finally {
    await ledger.close()
  }
}

async function off(context: Context): Promise<void> {
  const wasPending = await isConfigPending(context.paths)
  await keepSettings(context, { to: null })
  const client = await connect(context.paths)
  if (client) await tell(client, false)
  if (client && !wasPending) await countAsTaken(context.paths)
  context.output.answer(
    ['Nothing is sent any more. What was sent stays on the hub; the token stays in this home'],
    { ok: true, forward: null },
  )
}

const nowhere = (): CommandFailure =>
  new CommandFailure('It is not said where to send to', {
    code: 'usage',
    next: 'Name the hub: panoptes forward --to https://panoptes.example --token-file FILE',
    exit: EXIT.usage,
  })

const isHub = (): CommandFailure =>
  new CommandFailure(
    'This home is a hub: its ledger is a database, and a hub does not forward to another one',
    {
      code: 'is_hub',
      next: 'Run this on the computers where the agents are, or in another home: PANOPTES_HOME=… panoptes forward --to URL',
      exit: EXIT.usage,
    },
  )
