import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import { afterEach, beforeEach, expect } from 'vitest'
import { CLAUDE_EVENTS, claudeEditor, type Plan, planInstall, planRemove } from './index.ts'

let folder = ''

/** Gives each test in a file its own folder. */
export function useLab(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-hooks-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
}

/** Returns the folder of this test and the settings file in it. */
export const lab = () => ({ folder, file: join(folder, 'settings.json') })
export const paths = () => resolvePaths({ PANOPTES_HOME: join(folder, 'home') })

export const TOKEN = `pn_ing_${'a'.repeat(43)}`
export const editor = (preferHttp = false) =>
  claudeEditor(lab().file, {
    events: CLAUDE_EVENTS,
    script: '/p/panoptes-hook.sh',
    home: '/p',
    http: { address: 'http://127.0.0.1:8201', token: TOKEN },
    preferHttp,
    answerSeconds: 0,
  })

const good = <T>(result: { ok: true; value: T } | { ok: false; message: string }): T =>
  result.ok ? result.value : expect.fail(result.message)
export const install = async (preferHttp = false) => good(await planInstall(paths(), editor(preferHttp)))
export const applied = async (plan: Plan) => good(await plan.apply())
export const uninstall = async () => applied(good(await planRemove(paths(), editor())))
