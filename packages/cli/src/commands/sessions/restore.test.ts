import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PastSession } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { generateHermesState } from '../../../../../fixtures/hermes/generator/index.ts'
import type { Context } from '../../context.ts'
import { forget } from './forget.ts'
import { list } from './list.ts'
import { restoreSession } from './restore.ts'
import { asked, homeWith } from './sessions.test-kit.ts'

const transcript = ({ env }: Context, id: string) =>
  join(env.HOME ?? '', '.claude', 'projects', '-x', `${id}.jsonl`)

/** A home that keeps originals, with two sessions, of which one has results of tools. */
function keepingHome(archive = '{ originals: true }') {
  const home = homeWith({ one: [asked('find the leak')], two: [asked('go')] })
  const { context } = home
  mkdirSync(context.paths.home)
  writeFileSync(context.paths.config, `archive: ${archive}\n`)
  const result = join(dirname(transcript(context, 'one')), 'one', 'tool-results', 'r.txt')
  mkdirSync(dirname(result), { recursive: true })
  writeFileSync(result, 'a long result\r\n')
  return { ...home, path: transcript(context, 'one'), result }
}

it('writes the files of a deleted session back byte for byte', async () => {
  const { context, document, text, path, result } = keepingHome()
  const before = readFileSync(path)
  await list(context, { limit: 50 })
  rmSync(dirname(path), { recursive: true })
  await restoreSession(context, 'on', { dryRun: true })
  expect(text()).toContain('Dry run: would restore 2 files of the session one')
  expect(text()).toContain(path)
  expect(existsSync(path)).toBe(false)
  await restoreSession(context, 'on', {})
  expect(text()).toMatch(/^Restored 2 files of the session one\n/)
  expect(text()).toContain('cd /x && claude --resume one')
  expect(document()).toMatchObject({
    ...{ ok: true, dry_run: false, source: 'claude-code', id: 'one', written: 2 },
    files: [
      { path, state: 'missing' },
      { path: result, state: 'missing' },
    ],
  })
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(readFileSync(result, 'utf8')).toBe('a long result\r\n')
  await restoreSession(context, 'one', {})
  expect(text()).toBe('Every file of the session one is in place')
})

it('refuses to overwrite a file that differs, and writes nothing', async () => {
  const { context, path, result } = keepingHome()
  await list(context, { limit: 50 })
  rmSync(result)
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n`)
  // Panoptes would keep the longer file first, so that it no longer differs.
  writeFileSync(context.paths.config, 'archive: { originals: false }\n')
  await expect(restoreSession(context, 'one', {})).rejects.toMatchObject({
    code: 'exists',
    message: expect.stringContaining('one.jsonl. Nothing was written'),
  })
  expect(existsSync(result)).toBe(false)
})

it('says what to do if no originals are kept', async () => {
  const { context, path } = keepingHome('{ originals: false }')
  await list(context, { limit: 50 })
  rmSync(path)
  await expect(restoreSession(context, 'one', {})).rejects.toMatchObject({
    code: 'no_originals',
    next: expect.stringContaining('panoptes config set archive.originals true'),
  })
})

it('says that the sessions of a database have no files', async () => {
  const { context, document } = keepingHome()
  const folder = join(context.env.HOME ?? '', '.hermes')
  mkdirSync(folder)
  generateHermesState({ file: join(folder, 'state.db'), sessions: 1, messages: 3, seed: 7 })
  await list(context, { limit: 50, source: 'hermes' })
  const [{ id }] = document() as readonly [PastSession]
  await expect(restoreSession(context, id, {})).rejects.toMatchObject({
    code: 'no_originals',
    message: 'The sessions of hermes are not files, so their originals cannot be kept',
  })
})

it('restores no forgotten session', async () => {
  const { context, path } = keepingHome()
  await list(context, { limit: 50 })
  await forget(context, 'one', { yes: true })
  rmSync(path)
  await expect(restoreSession(context, 'one', {})).rejects.toMatchObject({ code: 'not_found' })
})

it('restores a session that only the originals know', async () => {
  const { context, path } = keepingHome()
  await list(context, { limit: 50 })
  rmSync(path)
  for (const end of ['', '-wal', '-shm']) rmSync(`${context.paths.history}${end}`, { force: true })
  await restoreSession(context, 'one', {})
  expect(existsSync(path)).toBe(true)
})
