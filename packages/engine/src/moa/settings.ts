import {
  editConfig,
  editConfigRow,
  fileFailure,
  type Paths,
  readConfigText,
  replaceFile,
} from '@panoptes/engine/home'
import type { Config, MoaPreset, Result } from '@panoptes/schema'
import { check, moaPreset } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { followHermesPresets } from './hermes-presets.ts'
import type { PrivacyFilter } from './turn.ts'

export interface SettingsOptions {
  readonly paths: Paths
  readonly config: Config['moa']
  readonly hermesHome: string
}

export interface SetPreset {
  readonly preset: MoaPreset
  readonly from: 'config' | 'hermes'
}

/** What holds for turns now. It begins as config.yaml says; what is changed here is written there. */
export interface MoaSettings {
  /** Ours, then those of Hermes that are called otherwise. */
  readonly all: () => Readonly<Record<string, SetPreset>>
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: () => string | null
  readonly privacy: () => PrivacyFilter
  readonly savesTraces: () => boolean
  /** What is wrong with the presets of Hermes, where they are read. */
  readonly problems: () => readonly string[]
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<null>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

export function openMoaSettings({ paths, config, hermesHome }: SettingsOptions): MoaSettings {
  const own = new Map(Object.entries(config.presets))
  const ofHermes = config.from_hermes ? followHermesPresets(hermesHome) : undefined
  let saves = config.save_traces
  let writing: Promise<unknown> = Promise.resolve()
  const all = (): Record<string, SetPreset> => {
    const found: Record<string, SetPreset> = {}
    for (const [name, preset] of own) found[name] = { preset, from: 'config' }
    for (const [name, preset] of Object.entries(ofHermes?.().presets ?? {}))
      if (!own.has(name)) found[name] = { preset, from: 'hermes' }
    return found
  }
  const presets = () => Object.fromEntries(Object.entries(all()).map(([name, { preset }]) => [name, preset]))
  /** One change after the other, each of the file as it is by then. */
  const change = (edit: (text: string) => Result<string>, then: () => void): Promise<Result<null>> => {
    const changed = writing.then(async (): Promise<Result<null>> => {
      const text = await readConfigText(paths)
      if (!text.ok) return text
      const edited = edit(text.value)
      if (!edited.ok) return edited
      try {
        await replaceFile(paths.config, edited.value)
      } catch (error) {
        return fileFailure(error, paths.config, 'write')
      }
      then()
      return success(null)
    })
    writing = changed
    return changed
  }
  const row = (name: string) => ['moa', 'presets', name]
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
    savesTraces: () => saves,
    problems: () => ofHermes?.().problems ?? [],
    putPreset: (name, preset) =>
      change(
        (text) => editConfigRow(text, row(name), told(preset), paths.config),
        () => void own.set(name, preset),
      ),
    removePreset: async (name) => {
      if (own.has(name))
        return change(
          (text) => editConfigRow(text, row(name), undefined, paths.config),
          () => void own.delete(name),
        )
      return Object.hasOwn(all(), name)
        ? failure('invalid', `${name} is a preset of Hermes, and is only read here. Change it there.`)
        : failure('not_found', `There is no preset ${name}.`)
    },
    saveTraces: (save) =>
      change(
        (text) => editConfig(text, 'moa.save_traces', String(save), paths.config),
        () => {
          saves = save
        },
      ),
  }
}

/** What has to be written of a preset: all that is not as it would be anyway. */
function told(preset: MoaPreset): object {
  const { reference_models, aggregator, ...others } = preset
  const usual = check(moaPreset, { aggregator })
  const standard: Readonly<Record<string, unknown>> = usual.ok ? usual.value : {}
  return {
    reference_models: reference_models.map(toldSlot),
    aggregator: toldSlot(aggregator),
    ...Object.fromEntries(Object.entries(others).filter(([key, value]) => value !== standard[key])),
  }
}

const toldSlot = ({ provider, model, enabled, reasoning_effort: effort }: MoaPreset['aggregator']) => ({
  provider,
  model,
  ...(enabled ? {} : { enabled }),
  ...(effort ? { reasoning_effort: effort } : {}),
})
