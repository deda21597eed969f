import { pause } from '@panoptes/engine/abortable'
import type { Team } from '@panoptes/engine/store'
import { check, type MoaPreset, moaPreset, type Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { SettingsStore } from './settings.ts'

const LOOK_MS = 1_000
const PRESET = 'moa.presets.'
const SAVES = 'moa.save_traces'

export interface TeamSettings extends SettingsStore {
  /** Stops polling for the changes of others. */
  readonly stop: () => void
}

interface StoredSettings {
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly saves: boolean | null
}

/** Settings that are stored in the team. A change by another hub arrives within about a second. */
export async function openTeamSettings(
  team: Pick<Team, 'settings' | 'setSetting'>,
): Promise<Result<TeamSettings>> {
  let held: StoredSettings = { presets: {}, saves: null }
  let looking: Promise<unknown> = Promise.resolve()
  /** A read that has not started yet serves everyone who waits for it. */
  let next: Promise<Result<null>> | undefined
  /**
   * Reads run one after another, so that an older result never replaces a newer one. While the team
   * is unreachable, the last known settings stay.
   */
  const refresh = (): Promise<Result<null>> => {
    next ??= looking.then(async (): Promise<Result<null>> => {
      next = undefined
      const read = await team.settings()
      if (!read.ok) return read
      held = parseSettings(read.value)
      return success(null)
    })
    looking = next
    return next
  }
  const set = async (name: string, value: string | null): Promise<Result<boolean>> => {
    const done = await team.setSetting(name, value)
    if (done.ok) await refresh()
    return done
  }
  const first = await refresh()
  if (!first.ok) return first
  const end = new AbortController()
  void pollChanges(refresh, end.signal)
  return success({
    from: 'team',
    presets: () => held.presets,
    savesTraces: () => held.saves,
    refresh: async () => void (await refresh()),
    putPreset: async (name, preset) => toNull(await set(`${PRESET}${name}`, JSON.stringify(preset))),
    removePreset: async (name) => {
      const removed = await set(`${PRESET}${name}`, null)
      if (!removed.ok) return removed
      return removed.value ? success(null) : failure('not_found', `Unknown preset: ${name}.`)
    },
    saveTraces: async (save) => toNull(await set(SAVES, String(save))),
    stop: () => end.abort(),
  })
}

async function pollChanges(poll: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(LOOK_MS, signal)
    if (!signal.aborted) await poll()
  }
}

/** Ignores a setting that a newer hub wrote in a form this hub cannot read. */
function parseSettings(settings: Readonly<Record<string, string>>): StoredSettings {
  const presets = Object.entries(settings).flatMap(([name, value]): [string, MoaPreset][] => {
    if (!name.startsWith(PRESET)) return []
    const preset = parsePreset(value)
    return preset === undefined ? [] : [[name.slice(PRESET.length), preset]]
  })
  const saves = settings[SAVES]
  return { presets: Object.fromEntries(presets), saves: saves === undefined ? null : saves === 'true' }
}

function parsePreset(json: string): MoaPreset | undefined {
  try {
    const checked = check(moaPreset, JSON.parse(json))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

const toNull = (done: Result<unknown>): Result<null> => (done.ok ? success(null) : done)
