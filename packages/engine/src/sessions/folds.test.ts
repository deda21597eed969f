import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FoldReader } from '@panoptes/engine/sources'
import type { Account } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Scanned } from '../achievements/history.ts'
import { unwrap } from '../result.test-kit.ts'
import { promptRow, put, type Row, replied } from '../sources/claude-code/claude-code.test-kit.ts'
import { openSessions, type SessionsOptions } from './index.ts'

/** A home with one session of Claude Code, and what folds made of it. */
function home() {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-folds-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'history.db')
  const projects = join(folder, '.claude', 'projects')
  const heard: string[] = []
  return {
    file,
    heard,
    write: (...rows: readonly Row[]) => put(join(projects, '-atlas', 'one.jsonl'), rows),
    remove: () => rmSync(projects, { recursive: true }),
    read: async (options: Partial<SessionsOptions> = {}) => {
      const sessions = unwrap(await openSessions({ file, env: { HOME: folder }, zone: 'UTC', ...options }))
      sessions.onRead((source) => heard.push(source))
      unwrap(await sessions.refresh())
      await sessions.close()
    },
    forget: async () => {
      const sessions = unwrap(await openSessions({ file, env: { HOME: folder }, zone: 'UTC' }))
      unwrap(await sessions.forget([{ source: 'claude-code', id: 'one' }]))
      await sessions.close()
    },
    made: async <T>(fold: string): Promise<T | undefined> => {
      const folds = new FoldReader(undefined, file)
      const docs = unwrap(await folds.read<T>(fold, 'claude-code', ['one']))
      await folds.close()
      return docs.get('one')
    },
  }
}

const prompt = { ...promptRow('Mend the zyzzogeton'), cwd: '/home/dev/atlas' }
const reply = replied('a', 'It is mended.', [10, 20])

describe('what is made of a session while it is read', () => {
  it('is its contribution and its account, told to whoever follows', async () => {
    const { write, read, made, heard } = home()
    write(prompt, reply)
    await read()
    expect(heard).toEqual(['claude-code'])
    expect((await made<Scanned>('contribution'))?.contribution).toMatchObject({
      session_id: 'one',
      values: { message_count: 2 },
    })
    expect(await made<Account>('account')).toMatchObject({ session_id: 'one', project: 'atlas' })
    await read()
    expect(heard).toEqual(['claude-code'])
    write(prompt, reply, replied('b', 'And painted.', [10, 20]))
    await read()
    expect(heard).toEqual(['claude-code', 'claude-code'])
    expect((await made<Scanned>('contribution'))?.contribution.values.message_count).toBe(3)
  })

  it.each([
    ['archived sessions', {}],
    ['sessions of an excluded project', { exclude: ['atlas'] }],
    ['sessions that are not archived', { enabled: false }],
  ])('stays for %s when their source deletes them', async (_which, settings) => {
    const archive = {
      enabled: true,
      originals: false,
      exclude: [],
      keep_days: null,
      max_size_mb: null,
      ...settings,
    }
    const { write, remove, read, made } = home()
    write(prompt, reply)
    await read({ archive })
    const before = [await made('contribution'), await made('account')]
    expect(before).not.toContain(undefined)
    remove()
    await read({ archive })
    expect([await made('contribution'), await made('account')]).toEqual(before)
  })

  it('is made again in another time zone, from the archive if the source deleted the session', async () => {
    const { write, remove, read, made } = home()
    const late = { ...reply, timestamp: '2026-11-16T23:30:00Z' }
    write({ ...prompt, timestamp: '2026-11-16T23:00:00Z' }, late)
    const days = async () => (await made<Account>('account'))?.cells.map(({ day }) => day)
    await read()
    expect(await days()).toEqual(['2026-11-16'])
    await read({ zone: 'Asia/Tokyo' })
    expect(await days()).toEqual(['2026-11-17'])
    remove()
    await read({ zone: 'UTC' })
    expect(await days()).toEqual(['2026-11-16'])
  })

  it('is removed with the session when somebody forgets it', async () => {
    const { file, write, read, forget, made } = home()
    write(prompt, reply)
    await read()
    await forget()
    expect([await made('contribution'), await made('account')]).toEqual([undefined, undefined])
    expect(readFileSync(file).includes('zyzzogeton')).toBe(false)
  })
})
