import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { TestHome } from './command.ts'

/** Scripted models: references `early` and `late`, acting models `acting` and `other`. */
export async function startScriptedModels(): Promise<ScriptedServer> {
  const scripted = await startScripted()
  scripted.script('early', { text: 'Look at the lock first.' })
  scripted.script('late', { text: 'Make a copy before anything else.' })
  scripted.script('acting', { text: 'Make a copy, then look at the lock.' })
  scripted.script('other', { text: 'Leave it as it is.' })
  return scripted
}

/** Writes the preset `review` of those models into a home. */
export async function writePreset(home: TestHome, models: string): Promise<void> {
  const slot = (model: string) => ({ provider: 'local', model })
  const review = { reference_models: [slot('early'), slot('late')], aggregator: slot('acting') }
  const providers = { local: { kind: 'openai', base_url: `${models}/v1`, retries: 0 } }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  // JSON is valid YAML.
  const config = { providers, moa: { save_traces: true, presets: { review } } }
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
}
