import type { Paths } from '@panoptes/engine/home'
import { claudeSettingsFile } from './claude-code/editor.ts'
import { isTemplateHook } from './claude-code/handlers.ts'
import { listOurEntries } from './claude-code/settings.ts'
import { readSettings } from './file.ts'
import { readRecords } from './record.ts'
import { runsScript, templateScriptFile } from './script.ts'

/** Returns true when some settings make clients run this home's template script. */
export async function hasTemplateHook(
  paths: Paths,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const written = (await readRecords(paths)).filter(({ agent }) => agent === 'claude-code')
  const files = new Set([claudeSettingsFile('user', env, ''), ...written.map(({ file }) => file)])
  const found = await Promise.all([...files].map((file) => hasTemplateHookIn(paths, file)))
  return found.includes(true)
}

async function hasTemplateHookIn(paths: Paths, file: string): Promise<boolean> {
  const read = await readSettings(file)
  const entries = read.ok ? listOurEntries(read.value.text ?? '', file, isTemplateHook) : read
  const own = templateScriptFile(paths)
  return (
    entries.ok &&
    entries.value.some(({ handler }) => runsScript((handler as { command: string }).command, own))
  )
}
