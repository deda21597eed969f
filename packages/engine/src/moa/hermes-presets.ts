import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { check, type MoaPreset, moaPreset, moaSlot } from '@panoptes/schema'
import { parse } from 'yaml'
import { isRecursive } from './presets.ts'

/** The presets of Hermes' own config.yaml. */
export interface HermesPresets {
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: string | null
  /** Why there are none, or which were left out. */
  readonly problems: readonly string[]
}

const NONE: HermesPresets = { presets: {}, defaultPreset: null, problems: [] }
const LONGEST = 1_048_576
const MOST = 200

/** Reads them where they are, again when the file changed, and never writes. */
export function followHermesPresets(hermesHome: string): () => HermesPresets {
  const file = join(hermesHome, 'config.yaml')
  let seen = ''
  let kept = NONE
  return () => {
    const now = stateOf(file)
    if (now === seen) return kept
    seen = now
    kept = now === '' ? NONE : read(file)
    return kept
  }
}

/** What changes when the file does; empty where there is none. */
function stateOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file)
    return `${mtimeMs}:${size}:${ino}`
  } catch {
    return ''
  }
}

function read(file: string): HermesPresets {
  try {
    const found = statSync(file)
    if (!found.isFile()) return { ...NONE, problems: [`${file} is no file.`] }
    if (found.size > LONGEST) return { ...NONE, problems: [`${file} is too long to be read.`] }
    const written: unknown = parse(readFileSync(file, 'utf8'), { maxAliasCount: 10, logLevel: 'error' })
    return presetsIn(fields(written).moa)
  } catch (error) {
    return { ...NONE, problems: [`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`] }
  }
}

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** As tolerant as Hermes: what it does not know is passed over, and what is no model is left out. */
export function presetsIn(moa: unknown): HermesPresets {
  const written = fields(moa)
  // Before there were presets, one stood at the top.
  const named = written.presets === undefined ? { default: written } : fields(written.presets)
  const problems: string[] = []
  const presets: Record<string, MoaPreset> = {}
  for (const [name, value] of Object.entries(named).slice(0, MOST)) {
    const preset = presetOf(fields(value))
    if (preset !== undefined) presets[name] = preset
    else if (written.presets !== undefined) problems.push(`${name} of Hermes names no model that acts.`)
  }
  const wanted = [written.default_preset, written.active_preset].find(
    (name) => typeof name === 'string' && Object.hasOwn(presets, name),
  )
  return { presets, defaultPreset: (wanted as string | undefined) ?? null, problems }
}

function presetOf(written: Fields): MoaPreset | undefined {
  const aggregator = slotsIn(written.aggregator)[0]
  if (aggregator === undefined) return undefined
  const references = slotsIn(written.reference_models)
  const base = { reference_models: references, aggregator }
  const others = Object.entries(written).flatMap(([key, value]): [string, unknown][] => {
    const given = asWritten(key, value)
    const alone = check(moaPreset, { ...base, [key]: given })
    return key in base || !alone.ok ? [] : [[key, given]]
  })
  const whole = check(moaPreset, { ...base, ...Object.fromEntries(others) })
  return whole.ok ? whole.value : undefined
}

/** Numbers and switches may stand there as texts. */
function asWritten(key: string, value: unknown): unknown {
  if (key === 'enabled' && typeof value === 'string') return !/^(false|no|off|0)$/i.test(value.trim())
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  const plain = Number.isFinite(number) ? number : value
  return key === 'reference_tool_result_budget' && typeof plain === 'number' ? Math.trunc(plain) : plain
}

/** A list, one alone, or either as JSON. */
function slotsIn(value: unknown): readonly object[] {
  const given = typeof value === 'string' ? json(value) : value
  const list = Array.isArray(given) ? given : [given]
  return list.flatMap((slot) => {
    const { provider, model, enabled, reasoning_effort } = fields(slot)
    const named = check(moaSlot, {
      provider,
      model,
      ...(enabled === undefined ? {} : { enabled: asWritten('enabled', enabled) !== false }),
      ...(typeof reasoning_effort === 'string' && reasoning_effort !== '' ? { reasoning_effort } : {}),
    })
    return named.ok && !isRecursive(named.value) ? [named.value] : []
  })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
