import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hookCommand, quoteWord, runsScript } from './script.ts'

let folder = ''
let script = ''
const command = () => hookCommand(script, ['claude-code', join(folder, 'a home'), 'start'])

/** This exceeds the pipe buffer, so an agent would block or fail if the hook did not read it. */
const PAYLOAD = 'x'.repeat(1_000_000)
const inShell = () => spawnSync('/bin/sh', ['-c', command()], { input: PAYLOAD, encoding: 'utf8' })
/** Imitates a client that splits the command into words itself and starts no shell. */
const asWords = () => spawnSync('xargs', ['env'], { input: command(), encoding: 'utf8' })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "panoptes-hook's "))
  script = join(folder, 'a home', 'hooks', 'panoptes-hook.sh')
  await mkdir(join(folder, 'a home', 'hooks'), { recursive: true })
  await writeFile(script, '#!/bin/sh\nprintf "%s|%s|%s|%s" "$1" "$2" "$3" "$(cat | wc -c | tr -d " ")"\n')
  await chmod(script, 0o700)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('hookCommand', () => {
  it('runs the script with its words and the payload on standard input', () => {
    const ran = inShell()
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([
      0,
      `claude-code|${join(folder, 'a home')}|start|${PAYLOAD.length}`,
      '',
    ])
    expect(asWords()).toMatchObject({ status: 0, stdout: `claude-code|${join(folder, 'a home')}|start|0` })
  })

  it('keeps the script a direct child of the caller, so that nested hooks can be detected', async () => {
    await writeFile(script, '#!/bin/sh\necho "$PPID"\n')
    const [guarded, bare] = [command(), `${quoteWord(script)} x`].map((each) =>
      spawnSync('/bin/sh', ['-c', `${each}; echo "$$"`], { encoding: 'utf8' }).stdout.split('\n'),
    )
    expect(guarded?.[0]).toBe(guarded?.[1])
    expect(bare?.[0]).toBe(bare?.[1])
  })

  it.each([
    ['deleted with its home', () => rm(join(folder, 'a home'), { recursive: true })],
    [
      'in a home that is a file now',
      () => rm(join(folder, 'a home'), { recursive: true }).then(() => writeFile(join(folder, 'a home'), '')),
    ],
    ['not executable', () => chmod(script, 0o600)],
    ['a folder', () => rm(script).then(() => mkdir(script))],
    ['a pipe', () => rm(script).then(() => spawnSync('mkfifo', ['-m', '700', script]))],
  ])('exits 0 silently and reads the payload while the script is %s', async (_, change) => {
    await change()
    for (const ran of [inShell(), asWords()])
      expect({ status: ran.status, output: ran.stdout + ran.stderr, error: ran.error }).toEqual({
        status: 0,
        output: '',
        error: undefined,
      })
  })

  it('is recognised as running the script, and so is the command of an older version', () => {
    expect(runsScript(command(), script)).toBe(true)
    expect(runsScript(`${quoteWord(script)} claude-code /p`, script)).toBe(true)
    expect(runsScript(command(), join(folder, 'other', 'panoptes-hook.sh'))).toBe(false)
    expect(runsScript(`echo ${quoteWord(script)} `, script)).toBe(false)
  })
})
