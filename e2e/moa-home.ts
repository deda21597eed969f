import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ScriptedServer,
  startScripted,
} from '../packages/engine/src/models/providers/scripted.test-kit.ts'
import { makeHome, type TestHome } from './command.ts'

export const HOSTILE = '<img src=x onerror="document.title=1">'
export const SHARED = 'A rolling deploy leaves old processes writing for minutes'

/** What the models say, unless a test has them say something else. */
export function scriptModels(models: ScriptedServer): void {
  models.script('small', { text: `No. ${SHARED}. Wait one release. ${HOSTILE}` })
  models.script('big', { text: 'Yes. It is safe when nothing reads it. Keep a dump.' })
  models.script('acts', { text: `Wait. ${SHARED}, so stop the writes first.` })
  models.script('slow', { text: 'late', delay: 4_000 })
  models.script('broken', { status: 401, body: JSON.stringify({ error: { message: 'no such key' } }) })
}

/** A home whose config names a scripted provider, and a preset of two models that advise and one that acts. */
export async function homeWithModels(): Promise<{
  readonly home: TestHome
  readonly models: ScriptedServer
}> {
  const models = await startScripted()
  const home = await makeHome()
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  const slot = (model: string) => ({ provider: 'local', model })
  const preset = (...references: string[]) => ({
    reference_models: references.map(slot),
    aggregator: slot('acts'),
  })
  const config = {
    providers: { local: { kind: 'openai', base_url: `${models.url}/v1`, retries: 0 } },
    moa: {
      save_traces: true,
      default_preset: 'review',
      presets: {
        review: preset('small', 'big'),
        shaky: preset('small', 'broken'),
        slow: preset('small', 'slow'),
      },
    },
  }
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  return { home, models }
}
