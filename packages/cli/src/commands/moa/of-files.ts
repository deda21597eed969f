import { hostname } from 'node:os'
import { ownerOfHome } from '@panoptes/engine/home'
import { type MoaService, openTeamSettings } from '@panoptes/engine/moa'
import { type EventStore, openTeam, type StoreLocation } from '@panoptes/engine/store'
import type { NewEvent } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { moaOf } from '../../daemon/open-moa.ts'
import { isMade, placeOf, wayOut } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import type { MoaAccess } from './access.ts'

/** Runs models in this process, which has exclusive access to the store. */
export async function withFiles<T>(
  context: Context,
  purpose: 'read' | 'write',
  work: (moa: MoaAccess) => Promise<T>,
): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const store = purpose === 'read' && !isMade(place) ? undefined : await openStore(context, place)
  let told: Promise<unknown> = Promise.resolve()
  const tell = (events: readonly NewEvent[]) => {
    told = told.then(() => store?.append(events))
  }
  let team: Awaited<ReturnType<typeof settingsOf>> | undefined
  try {
    team = place.kind === 'postgres' ? await settingsOf(place) : undefined
    const home = { paths, env, config, host: hostname(), settings: team?.settings }
    const { moaService, settled, checks } = moaOf(home, store ?? { turns: NO_TURNS, traces: null }, tell)
    try {
      return await work(ofFiles(moaService, place.kind === 'postgres' ? ownerOfHome() : undefined))
    } finally {
      await Promise.all([settled(), told])
      for (const { state, detail, cause } of await checks())
        if (state !== 'ok') context.output.note(cause ? `${detail}: ${cause}` : detail)
    }
  } finally {
    await team?.close()
    await store?.close()
  }
}

/** The presets that hubs share, and whether traces are saved. */
export async function settingsOf(place: Extract<StoreLocation, { kind: 'postgres' }>) {
  const team = orFail(await openTeam({ url: place.url }), wayOut(place))
  const kept = await openTeamSettings(team)
  if (!kept.ok) await team.close()
  const settings = orFail(kept, wayOut(place))
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
const ofFiles = (service: MoaService, who: string | undefined): MoaAccess => ({
  turns: async (wish) => {
    const { total, rows } = orFail(await service.turns(wish, who))
    return { total, turns: rows }
  },
  diff: async (turn, other) => orFail(await service.diff(turn, other, who)),
  presets: () => service.presets(),
  run: async (input, signal) => orFail(service.run(input, signal, who)),
  replay: async (input, signal) => orFail(await service.replay(input, signal, who)),
})
