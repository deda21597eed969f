import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, check, type MoaPreset, moaPreset, moaSlot, type Result } from '@panoptes/schema'
import { tryParseJson } from '@panoptes/schema/json'
import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { failure } from '@panoptes/schema/result'
import { parse } from 'yaml'
import { isRecursive } from './presets.ts'
import type { PrivacyFilter } from './turn.ts'

export interface SettingsOptions {
  readonly config: Config['moa']
  readonly hermesHome: string
  readonly kept: SettingsStore
}

/** Where changed settings are stored, and what is stored now. */
export interface SettingsStore {
  readonly from: 'config' | 'team'
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  /** Returns the stored choice; null if there is none. */
  readonly savesTraces: () => boolean | null
  /** Reads the changes that others made, where settings are shared. */
  readonly refresh?: () => Promise<void>
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<null>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

export interface PresetEntry {
  readonly preset: MoaPreset
  readonly from: SettingsStore['from'] | 'hermes'
}

/**
 * The settings that currently apply to turns. They start from config.yaml; changes are saved there,
 * or in the team settings that hubs share.
 */
export interface MoaSettings {
  /** Our own presets, then those of Hermes under other names. */
  readonly all: () => Readonly<Record<string, PresetEntry>>
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: () => string | null
  readonly privacy: () => PrivacyFilter
  readonly savesTraces: () => boolean
  /** Resolves when the changes that others have made so far apply here too. */
  readonly refresh: () => Promise<void>
  /** Problems of the Hermes presets, if they are read. */
  readonly problems: () => readonly string[]
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<null>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

export function openMoaSettings({ config, hermesHome, kept }: SettingsOptions): MoaSettings {
  const ofHermes = config.from_hermes ? followHermesPresets(hermesHome) : undefined
  const all = (): Record<string, PresetEntry> => {
    const found: Record<string, PresetEntry> = {}
    // Every hub has a config.yaml of its own, so the team's settings take precedence over it.
    if (kept.from === 'team')
      for (const [name, preset] of Object.entries(config.presets)) found[name] = { preset, from: 'config' }
    for (const [name, preset] of Object.entries(kept.presets())) found[name] = { preset, from: kept.from }
    for (const [name, preset] of Object.entries(ofHermes?.().presets ?? {}))
      if (!Object.hasOwn(found, name)) found[name] = { preset, from: 'hermes' }
    return found
  }
  const refresh = async () => kept.refresh?.()
  const presets = () => Object.fromEntries(Object.entries(all()).map(([name, { preset }]) => [name, preset]))
  return {
    all,
    presets,
    defaultPreset: () => {
      const there = presets()
      const wanted = [config.default_preset, config.active_preset, ofHermes?.().defaultPreset]
      return (
        wanted.find((name) => typeof name === 'string' && Object.hasOwn(there, name)) ??
        Object.keys(there)[0] ??
        null
      )
    },
    privacy: () => config.privacy_filter,
    savesTraces: () => kept.savesTraces() ?? config.save_traces,
    problems: () => ofHermes?.().problems ?? [],
    refresh,
    putPreset: kept.putPreset,
    removePreset: async (name) => {
      await refresh()
      if (Object.hasOwn(kept.presets(), name)) return kept.removePreset(name)
      const from = Object.hasOwn(all(), name) ? all()[name]?.from : undefined
      if (from === undefined) return failure('not_found', `Unknown preset: ${name}.`)
      return failure(
        'invalid',
        from === 'hermes'
          ? `${name} is a Hermes preset and read-only here. Change it in Hermes.`
          : `${name} is defined in the config.yaml of the hubs and read-only here. Remove it there, on every hub.`,
      )
    },
    saveTraces: kept.saveTraces,
  }
}

/** The presets in the config.yaml of Hermes itself. */
interface HermesPresets {
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: string | null
  /** Why there are no presets, or which ones were skipped. */
  readonly problems: readonly string[]
}

const NONE: HermesPresets = { presets: {}, defaultPreset: null, problems: [] }
const LONGEST = 1_048_576
const MOST = 200

/** Reads the presets in place, again after the file changed, and never writes to it. */
export function followHermesPresets(hermesHome: string): () => HermesPresets {
  const file = join(hermesHome, 'config.yaml')
  let seen = ''
  let cached = NONE
  return () => {
    const now = fileStamp(file)
    if (now === seen) return cached
    seen = now
    cached = now === '' ? NONE : readPresets(file)
    return cached
  }
}

/** Changes whenever the file changes; empty if there is no file. */
function fileStamp(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file)
    return `${mtimeMs}:${size}:${ino}`
  } catch {
    return ''
  }
}

function readPresets(file: string): HermesPresets {
  try {
    const found = statSync(file)
    if (!found.isFile()) return { ...NONE, problems: [`${file} is not a file.`] }
    if (found.size > LONGEST) return { ...NONE, problems: [`${file} is too large to read.`] }
    const written: unknown = parse(readFileSync(file, 'utf8'), { maxAliasCount: 10, logLevel: 'error' })
    return parsePresets(toFields(written).moa)
  } catch (error) {
    return { ...NONE, problems: [`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`] }
  }
}

/** As tolerant as Hermes: ignores unknown keys and skips anything that is not a model. */
export function parsePresets(moa: unknown): HermesPresets {
  const written = toFields(moa)
  // Before presets existed, Hermes had a single one at the top level.
  const named = written.presets === undefined ? { default: written } : toFields(written.presets)
  const problems: string[] = []
  const presets: Record<string, MoaPreset> = {}
  for (const [name, value] of Object.entries(named).slice(0, MOST)) {
    const preset = toPreset(toFields(value))
    if (preset !== undefined) presets[name] = preset
    else if (written.presets !== undefined) problems.push(`The Hermes preset ${name} has no acting model.`)
  }
  const wanted = [written.default_preset, written.active_preset].find(
    (name) => typeof name === 'string' && Object.hasOwn(presets, name),
  )
  return { presets, defaultPreset: (wanted as string | undefined) ?? null, problems }
}

function toPreset(written: Fields): MoaPreset | undefined {
  const aggregator = parseSlots(written.aggregator)[0]
  if (aggregator === undefined) return undefined
  const references = parseSlots(written.reference_models)
  const base = { reference_models: references, aggregator }
  const others = Object.entries(written).flatMap(([key, value]): [string, unknown][] => {
    const plainValue = parseLooseValue(key, value)
    const alone = check(moaPreset, { ...base, [key]: plainValue })
    return key in base || !alone.ok ? [] : [[key, plainValue]]
  })
  const whole = check(moaPreset, { ...base, ...Object.fromEntries(others) })
  return whole.ok ? whole.value : undefined
}

/** Hermes accepts numbers and switches as strings. */
function parseLooseValue(key: string, value: unknown): unknown {
  if (key === 'enabled' && typeof value === 'string') return !/^(false|no|off|0)$/i.test(value.trim())
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  const plain = Number.isFinite(number) ? number : value
  return key === 'reference_tool_result_budget' && typeof plain === 'number' ? Math.trunc(plain) : plain
}

/** Accepts a list, a single item, or either of them as JSON. */
function parseSlots(value: unknown): readonly object[] {
  const rawSlots = typeof value === 'string' ? tryParseJson(value) : value
  const list = Array.isArray(rawSlots) ? rawSlots : [rawSlots]
  return list.flatMap((slot) => {
    const { provider, model, enabled, reasoning_effort } = toFields(slot)
    const named = check(moaSlot, {
      provider,
      model,
      ...(enabled === undefined ? {} : { enabled: parseLooseValue('enabled', enabled) !== false }),
      ...(typeof reasoning_effort === 'string' && reasoning_effort !== '' ? { reasoning_effort } : {}),
    })
    return named.ok && !isRecursive(named.value) ? [named.value] : []
  })
}
