import type { Config, MoaPreset, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { followHermesPresets } from './hermes-presets.ts'
import type { PrivacyFilter } from './turn.ts'

export interface SettingsOptions {
  readonly config: Config['moa']
  readonly hermesHome: string
  readonly kept: KeptSettings
}

/** Where what is changed is kept, and what is there by now. */
export interface KeptSettings {
  readonly from: 'config' | 'team'
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  /** Null where nobody decided it there. */
  readonly savesTraces: () => boolean | null
  /** Where others change it too: when what they changed until now is here. */
  readonly look?: () => Promise<void>
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<null>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

export interface SetPreset {
  readonly preset: MoaPreset
  readonly from: KeptSettings['from'] | 'hermes'
}

/** What holds for turns now. It begins as config.yaml says; what is changed is kept there, or in the team that hubs share. */
export interface MoaSettings {
  /** Ours, then those of Hermes that are called otherwise. */
  readonly all: () => Readonly<Record<string, SetPreset>>
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: () => string | null
  readonly privacy: () => PrivacyFilter
  readonly savesTraces: () => boolean
  /** When what others changed until now holds here too. */
  readonly look: () => Promise<void>
  /** What is wrong with the presets of Hermes, where they are read. */
  readonly problems: () => readonly string[]
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<null>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

export function openMoaSettings({ config, hermesHome, kept }: SettingsOptions): MoaSettings {
  const ofHermes = config.from_hermes ? followHermesPresets(hermesHome) : undefined
  const all = (): Record<string, SetPreset> => {
    const found: Record<string, SetPreset> = {}
    // Every hub has a config.yaml of its own; what the team keeps goes before it.
    if (kept.from === 'team')
      for (const [name, preset] of Object.entries(config.presets)) found[name] = { preset, from: 'config' }
    for (const [name, preset] of Object.entries(kept.presets())) found[name] = { preset, from: kept.from }
    for (const [name, preset] of Object.entries(ofHermes?.().presets ?? {}))
      if (!Object.hasOwn(found, name)) found[name] = { preset, from: 'hermes' }
    return found
  }
  const look = async () => kept.look?.()
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
    look,
    putPreset: kept.putPreset,
    removePreset: async (name) => {
      await look()
      if (Object.hasOwn(kept.presets(), name)) return kept.removePreset(name)
      const from = Object.hasOwn(all(), name) ? all()[name]?.from : undefined
      if (from === undefined) return failure('not_found', `There is no preset ${name}.`)
      return failure(
        'invalid',
        from === 'hermes'
          ? `${name} is a preset of Hermes, and is only read here. Change it there.`
          : `${name} stands in the config.yaml of the hubs, and is only read here. Take it out there, on every hub.`,
      )
    },
    saveTraces: kept.saveTraces,
  }
}
