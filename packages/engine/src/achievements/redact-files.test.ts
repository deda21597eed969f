import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import { tempFolder } from './achievements.test-kit.ts'
import { redactFiles } from './open.ts'

it('removes secrets of all kinds from the files of an older version, and writes no other file', () => {
  const folder = tempFolder()
  const secrets = Object.values(SECRET_KINDS).map((make) => make())
  const titles = secrets.map((secret, n) => ({ session_id: `s${n}`, title: `fix\n${secret}`, calls: n }))
  // A file that no current version reads is cleaned as well.
  const texts = [
    JSON.stringify({ sessions: titles }),
    JSON.stringify({ achievements: [{ evidence: titles }] }),
  ]
  const [checkpoint, snapshot] = ['scan_checkpoint.json', 'scan_snapshot_all.json'].map((name) =>
    join(folder, name),
  ) as [string, string]
  writeFileSync(checkpoint, texts[0] ?? '')
  writeFileSync(snapshot, texts[1] ?? '')
  writeFileSync(join(folder, 'state.json'), '{"unlocks":{}}')
  writeFileSync(join(folder, 'scan_snapshot.json'), '{ no JSON')
  expect(redactFiles(folder)).toBe(2)
  const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(secrets.filter((secret) => all.some((text) => text.includes(secret)))).toEqual([])
  expect(JSON.parse(readFileSync(checkpoint, 'utf8')).sessions[7]).toEqual({
    session_id: 's7',
    title: expect.stringMatching(/^fix\n\[redacted:/),
    calls: 7,
  })
  expect(readFileSync(join(folder, 'state.json'), 'utf8')).toBe('{"unlocks":{}}')
  const before = statSync(snapshot).mtimeMs
  expect(redactFiles(folder)).toBe(0)
  expect(statSync(snapshot).mtimeMs).toBe(before)
})

it('does nothing if there is no folder', () => {
  expect(redactFiles(join(tempFolder(), 'none'))).toBe(0)
})
