import { hostname } from 'node:os'
import { type Forward, openHub, startForward, transcriptReceiver } from '@panoptes/engine/forward'
import { forwardTokenFile, readConfig, readForwardToken } from '@panoptes/engine/home'
import type { Forgetter } from '@panoptes/engine/sessions'
import { copySessions, type SessionCopy } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { ForwardConfig, ForwardStatus, HealthCheck, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Gauge, ServedForward } from '@panoptes/server'
import { forwardCheck, forwardGauges } from './forward-checks.ts'
import { homeId } from './home-id.ts'
import type { Log } from './log.ts'
import type { StartOptions } from './start-options.ts'

type Home = Pick<StartOptions, 'paths' | 'env' | 'config'>

/** Forwards events of this computer to a hub, according to the `forward` settings. */
export interface Forwarding extends ServedForward {
  /** The last seq that the hub has confirmed, or undefined if forwarding is off. */
  readonly sentTo: () => number | undefined
  readonly settings: () => ForwardConfig
  readonly checks: () => Promise<readonly HealthCheck[]>
  readonly gauges: () => readonly Gauge[]
  readonly forgetter: Forgetter
  readonly stop: () => Promise<void>
}

interface Sending {
  readonly forward: Forward
  readonly copy: SessionCopy | undefined
}

export async function followForward(home: Home, store: EventStore, { logger }: Log): Promise<Forwarding> {
  let settings = home.config.forward
  let sending: Sending | undefined
  let last: ForwardStatus | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const begin = async (fromStart: boolean): Promise<Result<null>> => {
    const begun = await send(home, settings, store, logger, fromStart)
    if (!begun.ok) return begun
    sending = begun.value
    if (sending) logger.info({ to: settings.to, what: settings.what }, 'forwarding')
    return success(null)
  }
  const end = async (): Promise<void> => {
    const ended = sending
    sending = undefined
    await Promise.all([ended?.forward.stop(), ended?.copy?.close()])
  }
  const status = async (): Promise<ForwardStatus | null> => {
    if (!sending) return null
    const { forward, copy } = sending
    const told = await forward.status()
    if (!told.ok) return last
    const copied = copy?.status()
    const transcripts = copied
      ? { waiting: copied.waiting, sent: copied.sent, problem: copied.problem }
      : null
    last = { ...told.value, transcripts }
    return last
  }
  const reload = async (fromStart: boolean): Promise<Result<ForwardStatus | null>> => {
    const read = await readConfig(home.paths)
    if (!read.ok) return read
    await end()
    settings = read.value.config.forward
    last = null
    const begun = await begin(fromStart)
    return begun.ok ? success(await status()) : begun
  }

  const begun = await begin(false)
  if (!begun.ok) logger.error({ code: begun.code }, `forward: ${begun.message}`)
  return {
    status,
    reload: (fromStart) => {
      const own = turn.then(() => reload(fromStart))
      turn = own
      return own
    },
    sentTo: () => sending?.forward.sentTo(),
    settings: () => settings,
    checks: async () => {
      const now = await status()
      return now === null ? [] : [forwardCheck(now, Date.now())]
    },
    gauges: () => {
      // The gauges show the previous status. This refreshes it for the next read.
      void status()
      return sending && last ? forwardGauges(last, Date.now()) : []
    },
    forgetter: async (sessions) => {
      const told = (await sending?.copy?.forget(sessions)) ?? success(null)
      return told.ok ? success([]) : told
    },
    stop: async () => {
      await turn
      await end()
    },
  }
}

async function send(
  { env, paths }: Home,
  settings: ForwardConfig,
  store: EventStore,
  log: Log['logger'],
  fromStart: boolean,
): Promise<Result<Sending | undefined>> {
  const { to, what, max_kb_per_second: maxKbPerSecond } = settings
  if (to === null) return success(undefined)
  const file = settings.token_file ?? forwardTokenFile(paths)
  const token = () => readForwardToken(file)
  const hub = openHub({ to, token, maxKbPerSecond })
  const host = hostname()
  const forward = await startForward({
    store,
    hub,
    token,
    what,
    host,
    fromStart,
    log: {
      info: (fields, text) => log.info(fields, `forward: ${text}`),
      warn: (fields, text) => log.warn(fields, `forward: ${text}`),
    },
  })
  if (!forward.ok) return forward
  if (what !== 'transcripts') return success({ forward: forward.value, copy: undefined })
  const forgotten = await store.forgetting.forgotten()
  if (!forgotten.ok) {
    await forward.value.stop()
    return forgotten
  }
  const copy = copySessions({
    env,
    receiver: transcriptReceiver(hub, host, homeId(paths)),
    history: paths.history,
    forgotten: forgotten.value,
    problem: (reason) => log.warn(`forward: sessions: ${reason}`),
  })
  copy.follow()
  return success({ forward: forward.value, copy })
}
