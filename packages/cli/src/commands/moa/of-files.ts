import { hostname } from 'node:os'
import { ownerOfHome } from '@panoptes/engine/home'
import { type Ledger, type LedgerPlace, openTeam } from '@panoptes/engine/ledger'
import { keptInTeam, type MoaRoom } from '@panoptes/engine/moa'
import type { NewEvent } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { openLedger } from '../../daemon/access.ts'
import { moaOf } from '../../daemon/open-moa.ts'
import { isMade, placeOf, wayOut } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import type { MoaAccess } from './access.ts'

/** Models asked by this process, with the ledger to itself. */
export async function withFiles<T>(
  context: Context,
  purpose: 'read' | 'write',
  work: (moa: MoaAccess) => Promise<T>,
): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const ledger = purpose === 'read' && !isMade(place) ? undefined : await openLedger(context, place)
  let told: Promise<unknown> = Promise.resolve()
  const tell = (events: readonly NewEvent[]) => {
    told = told.then(() => ledger?.append(events))
  }
  let team: Awaited<ReturnType<typeof settingsOf>> | undefined
  try {
    team = place.kind === 'postgres' ? await settingsOf(place) : undefined
    const home = { paths, env, config, host: hostname(), settings: team?.settings }
    const { moaRoom, settled, checks } = moaOf(home, ledger ?? { turns: NO_TURNS, traces: null }, tell)
    try {
      return await work(ofFiles(moaRoom, place.kind === 'postgres' ? ownerOfHome() : undefined))
    } finally {
      await Promise.all([settled(), told])
      for (const { state, detail, cause } of await checks())
        if (state !== 'ok') context.output.note(cause ? `${detail}: ${cause}` : detail)
    }
  } finally {
    await team?.close()
    await ledger?.close()
  }
}

/** The presets that hubs share, and whether turns are written down. */
export async function settingsOf(place: Extract<LedgerPlace, { kind: 'postgres' }>) {
  const team = orFail(await openTeam({ url: place.url }), wayOut(place))
  const kept = await keptInTeam(team)
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

/** Where nothing was written yet, nothing is known. */
const NO_TURNS: Ledger['turns'] = {
  keep: async () => failure('closed', 'There is no ledger to write into'),
  get: async () => success(null),
  list: async () => success({ total: 0, rows: [] }),
}

/** In a team whoever has this home is one more person. */
const ofFiles = (room: MoaRoom, who: string | undefined): MoaAccess => ({
  turns: async (wish) => {
    const { total, rows } = orFail(await room.turns(wish, who))
    return { total, turns: rows }
  },
  diff: async (turn, other) => orFail(await room.diff(turn, other, who)),
  presets: () => room.presets(),
  run: async (input, signal) => orFail(room.run(input, signal, who)),
  replay: async (input, signal) => orFail(await room.replay(input, signal, who)),
})
