import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asked, homeWith, reply } from '../sessions/sessions.test-kit.ts'
import { exportAll } from './export.ts'

const SESSION = { s1: [asked('<script>alert(1)</script>'), reply('r1', 'ollama/x')] }

it('writes achievements in the format of the file extension, readable only by the user', async () => {
  const { context, document } = homeWith(SESSION)
  const home = context.env.HOME ?? ''
  for (const [name, begins] of [
    ['all.json', '{"generated_at":'],
    ['all.md', '# Achievements\n'],
    ['all.svg', '<svg '],
  ] as const) {
    const out = join(home, name)
    await exportAll(context, { out })
    expect(readFileSync(out, 'utf8').slice(0, begins.length)).toBe(begins)
    expect(statSync(out).mode & 0o077).toBe(0)
  }
  expect(document()).toMatchObject({ ok: true, format: 'svg', view: 'all', total_count: 60 })
})

it('replaces an existing file only with --force', async () => {
  const { context } = homeWith(SESSION)
  const out = join(context.env.HOME ?? '', 'mine.md')
  writeFileSync(out, 'mine')
  await expect(exportAll(context, { out })).rejects.toMatchObject({ code: 'exists' })
  expect(readFileSync(out, 'utf8')).toBe('mine')
  await exportAll(context, { out, force: true, state: 'unlocked' })
  expect(readFileSync(out, 'utf8')).toContain('| Open Weights Pilgrim | Copper |')
  expect(readFileSync(out, 'utf8')).not.toContain('Let Him Cook')
})

it('lists the supported formats and states if one is unknown', async () => {
  const { context } = homeWith({})
  await expect(exportAll(context, { format: 'pdf' })).rejects.toMatchObject({
    message: 'Unknown format: pdf',
    next: 'Choose one of: json, markdown, svg',
    exit: 2,
  })
  await expect(exportAll(context, { out: 'all.pdf' })).rejects.toMatchObject({
    message: 'Cannot export achievements as .pdf',
    exit: 2,
  })
  await expect(exportAll(context, { state: 'locked' })).rejects.toMatchObject({
    next: 'Choose one of: unlocked, discovered, secret',
    exit: 2,
  })
})

it('rejects --state for an SVG card, whether --format or the file name selects it', async () => {
  const { context } = homeWith({})
  const refused = { code: 'usage', next: expect.stringContaining('Remove --state'), exit: 2 }
  await expect(exportAll(context, { format: 'svg', state: 'unlocked' })).rejects.toMatchObject(refused)
  await expect(exportAll(context, { out: 'card.svg', state: 'secret' })).rejects.toMatchObject(refused)
})

it('refuses to count if the layout would overwrite the files of Hermes, and names the setting', async () => {
  const { context } = homeWith({})
  const theirs = join(context.env.HOME ?? '', '.hermes', 'plugin-data', 'hermes-achievements')
  mkdirSync(theirs, { recursive: true })
  writeFileSync(join(theirs, 'scan_snapshot.json'), '{"sessions": []}')
  mkdirSync(context.paths.home)
  writeFileSync(context.paths.config, '# mine\nlayout: hermes\n')
  await expect(exportAll(context, {})).rejects.toMatchObject({
    message: expect.stringMatching(/config\.yaml:2:1: layout is hermes, but/),
    exit: 5,
  })
})
