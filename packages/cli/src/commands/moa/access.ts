import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { ownerOfHome } from '@panoptes/engine/home'
import { type MoaService, openTeamSettings } from '@panoptes/engine/moa'
import { type EventStore, openTeam, type StoreLocation } from '@panoptes/engine/store'
import {
  type MoaRunInput,
  type MoaRunPart,
  type MoaTurn,
  moaRunPart,
  type NewEvent,
  type PresetsReply,
  type ReplayInput,
  type TurnDiff,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { type Client, connect, stopped } from '../../daemon/client.ts'
import { moaOf } from '../../daemon/open-moa.ts'
import { isMade, placeOf, wayOut } from '../../daemon/place.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { getJson, jsonRequest } from '../../json-requests.ts'
import { loadConfig } from '../config.ts'

export interface TurnQuery {
  readonly preset?: string | undefined
  readonly session?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** Access to turns and presets: through the running daemon, or in this process if none is running. */
export interface MoaAccess {
  readonly turns: (wish: TurnQuery) => Promise<{ readonly total: number; readonly turns: readonly MoaTurn[] }>
  readonly diff: (turn: string, other: string | undefined) => Promise<TurnDiff>
  readonly presets: () => Promise<PresetsReply>
  /** An abort stops every call. */
  readonly run: (input: MoaRunInput, signal: AbortSignal) => Promise<AsyncIterable<MoaRunPart>>
  readonly replay: (input: ReplayInput, signal: AbortSignal) => Promise<AsyncIterable<MoaRunPart>>
}

/** Writing creates the store if it does not exist. */
export async function withMoa<T>(
  context: Context,
  purpose: 'read' | 'write',
  work: (moa: MoaAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(openHttpClient(client)) : withLocalClient(context, purpose, work)
}

/** Reads turns and presets from the daemon over HTTP. */
function openHttpClient(client: Client): MoaAccess {
  const follow = async (path: string, body: object, signal: AbortSignal) => {
    const reply = await client.request(`/api/moa/${path}`, { ...jsonRequest(body), signal })
    return readParts(reply, signal)
  }
  return {
    turns: (query) => getJson(client, '/api/moa/turns', { ...query }),
    diff: (turn, other) =>
      getJson(client, `/api/moa/turns/${encodeURIComponent(turn)}/diff`, { with: other }),
    presets: () => getJson(client, '/api/moa/presets'),
    run: (input, signal) => follow('run', input, signal),
    replay: (input, signal) => follow('replay', input, signal),
  }
}

async function* readParts(reply: Response, signal: AbortSignal): AsyncGenerator<MoaRunPart, undefined> {
  try {
    const input = Readable.fromWeb(reply.body as never)
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line !== '') yield moaRunPart.parse(JSON.parse(line))
  } catch (error) {
    if (signal.aborted) throw stopped()
    throw new CommandFailure(`The connection to Panoptes broke: ${(error as Error).message}`, {
      code: 'unreachable',
      next: 'Find out why with: panoptes doctor',
    })
  }
}

/** Runs models in this process, which has exclusive access to the store. */
export async function withLocalClient<T>(
  context: Context,
  purpose: 'read' | 'write',
  work: (moa: MoaAccess) => Promise<T>,
): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const store = purpose === 'read' && !isMade(place) ? undefined : await openStore(context, place)
  let written: Promise<unknown> = Promise.resolve()
  const appendEvents = (events: readonly NewEvent[]) => {
    written = written.then(() => store?.append(events))
  }
  let team: Awaited<ReturnType<typeof openSharedSettings>> | undefined
  try {
    team = place.kind === 'postgres' ? await openSharedSettings(place) : undefined
    const home = { paths, env, config, host: hostname(), settings: team?.settings }
    const { moaService, settled, checks } = moaOf(
      home,
      store ?? { turns: NO_TURNS, traces: null },
      appendEvents,
    )
    try {
      return await work(openLocalClient(moaService, place.kind === 'postgres' ? ownerOfHome() : undefined))
    } finally {
      await Promise.all([settled(), written])
      for (const { state, detail, cause } of await checks())
        if (state !== 'ok') context.output.note(cause ? `${detail}: ${cause}` : detail)
    }
  } finally {
    await team?.close()
    await store?.close()
  }
}

/** The presets that hubs share, and whether traces are saved. */
export async function openSharedSettings(place: Extract<StoreLocation, { kind: 'postgres' }>) {
  const team = orFail(await openTeam({ url: place.url }), wayOut(place))
  const opened = await openTeamSettings(team)
  if (!opened.ok) await team.close()
  const settings = orFail(opened, wayOut(place))
  return {
    settings,
    close: () => {
      settings.stop()
      return team.close()
    },
  }
}

/** Stands in for a store that does not exist yet. */
const NO_TURNS: EventStore['turns'] = {
  keep: async () => failure('closed', 'There is no store to write to'),
  get: async () => success(null),
  list: async () => success({ total: 0, rows: [] }),
}

/** In a team, the user of this home counts as a separate person. */
const openLocalClient = (service: MoaService, who: string | undefined): MoaAccess => ({
  turns: async (wish) => {
    const { total, rows } = orFail(await service.turns(wish, who))
    return { total, turns: rows }
  },
  diff: async (turn, other) => orFail(await service.diff(turn, other, who)),
  presets: () => service.presets(),
  run: async (input, signal) => orFail(service.run(input, signal, who)),
  replay: async (input, signal) => orFail(await service.replay(input, signal, who)),
})
