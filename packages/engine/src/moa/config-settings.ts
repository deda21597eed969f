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
import { success } from '@panoptes/schema/result'
import type { SettingsStore } from './settings.ts'

/** Writes changed settings to config.yaml and keeps every comment. */
export function openConfigSettings(paths: Paths, config: Config['moa']): SettingsStore {
  const presets = new Map(Object.entries(config.presets))
  let saves = config.save_traces
  let writing: Promise<unknown> = Promise.resolve()
  /** Changes run one after another, and each edits the file as the one before left it. */
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
    from: 'config',
    presets: () => Object.fromEntries(presets),
    savesTraces: () => saves,
    putPreset: (name, preset) =>
      change(
        (text) => editConfigRow(text, row(name), presetToConfig(preset), paths.config),
        () => void presets.set(name, preset),
      ),
    removePreset: (name) =>
      change(
        (text) => editConfigRow(text, row(name), undefined, paths.config),
        () => void presets.delete(name),
      ),
    saveTraces: (save) =>
      change(
        (text) => editConfig(text, 'moa.save_traces', String(save), paths.config),
        () => {
          saves = save
        },
      ),
  }
}

/** Returns the fields of a preset that differ from the defaults; only these are written. */
function presetToConfig(preset: MoaPreset): object {
  const { reference_models, aggregator, ...others } = preset
  const usual = check(moaPreset, { aggregator })
  const standard: Readonly<Record<string, unknown>> = usual.ok ? usual.value : {}
  return {
    reference_models: reference_models.map(slotToConfig),
    aggregator: slotToConfig(aggregator),
    ...Object.fromEntries(Object.entries(others).filter(([key, value]) => value !== standard[key])),
  }
}

const slotToConfig = ({ provider, model, enabled, reasoning_effort: effort }: MoaPreset['aggregator']) => ({
  provider,
  model,
  ...(enabled ? {} : { enabled }),
  ...(effort ? { reasoning_effort: effort } : {}),
})
