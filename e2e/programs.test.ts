import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findChromium } from './setup/chromium.ts'
import { findProgram } from './setup/programs.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'panoptes-programs-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Writes a program into a folder of its own, and returns the folder. */
async function install(name: string, folder: string, script: string): Promise<string> {
  await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return join(root, folder)
}

/** Like the one of Ubuntu. */
const STUB = 'echo "Command requires the chromium snap to be installed."; exit 1'

describe('the search for an installed program', () => {
  it('goes on to the next one if a program does not work or is too old', async () => {
    const folders = [
      await install('whaled', 'stub', STUB),
      await install('whaled', 'foreign', 'exec /nowhere/whaled'),
      await install('whaled', 'mute', 'exit 0'),
      await install('whaled', 'old', 'echo "whaled: v2.8.9"'),
      await install('whaled', 'new', 'echo "whaled: v2.10.1"'),
    ]
    expect(await findProgram(['whaled'], { folders, minimum: [2, 9] })).toBe(join(root, 'new', 'whaled'))
    expect(await findProgram(['whaled'], { folders, minimum: [2, 8, 9] })).toBe(join(root, 'old', 'whaled'))
    expect(await findProgram(['whaled'], { folders, minimum: [3] })).toBeUndefined()
  })

  it('takes an older major version for old, whatever its minor version', async () => {
    const folders = [await install('initdb', 'old', 'echo "initdb (PostgreSQL) 13.99 (Debian 13.99-1)"')]
    expect(await findProgram(['initdb'], { folders, minimum: [14] })).not.toBe(join(root, 'old', 'initdb'))
    expect(await findProgram(['initdb'], { folders, minimum: [13] })).toBe(join(root, 'old', 'initdb'))
  })

  it('passes over a stub of Chromium', async () => {
    const stub = await install('chromium', 'stub', STUB)
    const chrome = await install('google-chrome', 'chrome', 'echo "Google Chrome 140.0.7339.80"')
    vi.stubEnv('PANOPTES_CHROMIUM', '')
    vi.stubEnv('PATH', `${stub}:${chrome}`)
    expect(await findChromium()).toMatchObject({ executablePath: join(chrome, 'google-chrome') })
  })
})
