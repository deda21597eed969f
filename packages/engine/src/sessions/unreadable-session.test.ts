import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrices } from '@panoptes/engine/models'
import { openSources } from '@panoptes/engine/sources'
import { openSqliteIndex } from '@panoptes/engine/store'
import type { ExportFormat } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { exportSession } from './export/export.ts'
import { readAll } from './reading.ts'
import { refresh } from './refresh.ts'
import { search } from './search.ts'
import { type Reading, transcript, wholeMessage } from './transcript.ts'

const REF = { source: 'claude-code', id: 'one' }
let folder: string
let file: string
let reading: Reading

const row = (n: number) => {
  const message = { role: 'user', content: `particular ${n}` }
  return JSON.stringify({ type: 'user', uuid: `u${n}`, timestamp: '2026-11-15T09:00:00Z', message })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-unread-'))
  const project = join(folder, 'projects', '-notes')
  mkdirSync(project, { recursive: true })
  file = join(project, 'one.jsonl')
  writeFileSync(file, [row(1), '{ no JSON <b>', row(2), '{ nor this', ''].join('\n'))
  const sources = new Map(
    openSources({ HOME: folder, CLAUDE_CONFIG_DIR: folder }).map((each) => [each.name, each]),
  )
  const source = sources.get('claude-code')
  if (source === undefined) throw new Error('there is no such source')
  const [index, prices] = [unwrap(openSqliteIndex(join(folder, 'index.db'))), createPrices()]
  unwrap(await refresh({ source, index, read: (listed) => readAll({ source, listed, prices }) }))
  reading = { index, sources, prices }
})
afterEach(async () => {
  await reading.index.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a session that can no longer be read', () => {
  it('fails with the reason and does not appear empty', async () => {
    renameSync(file, `${file}.elsewhere`)
    const target = join(folder, 'exported')
    const gone = { failure: { code: 'not_found', message: expect.stringContaining('one.jsonl') } }
    await expect(transcript(reading, { ...REF, from: 0, limit: 10 })).rejects.toMatchObject(gone)
    await expect(wholeMessage(reading, { ...REF, n: 0 })).rejects.toMatchObject(gone)
    for (const format of ['jsonl', 'markdown', 'html'] as const) {
      await expect(exportSession(reading, { ...REF, format, file: target })).rejects.toMatchObject(gone)
      expect([existsSync(target), existsSync(`${target}.parts`)]).toEqual([false, false])
    }
  })

  it('is still found, without the words around the match', async () => {
    const found = () => search(reading, { text: 'particular ', limit: 5 })
    expect((await found()).map(({ snippet }) => snippet)).toEqual([expect.any(String), expect.any(String)])
    renameSync(file, `${file}.elsewhere`)
    expect((await found()).map(({ snippet }) => snippet)).toEqual([null, null])
  })
})

describe('the transcript of a partly readable session', () => {
  const places = [2, 4].map((line) => expect.stringMatching(new RegExp(`one\\.jsonl:${line}$`)))

  it('shows the number of unreadable parts, their places and reasons', async () => {
    const whole = await transcript(reading, { ...REF, from: 0, limit: 10 })
    expect(whole.messages).toHaveLength(2)
    expect(whole.unread).toBe(2)
    expect(whole.unread_parts).toEqual(places.map((place) => ({ place, reason: expect.any(String) })))
    expect(whole.unread_parts[0]?.reason).not.toBe('')
  })

  it('reports each of them once across several pages', async () => {
    const parts = []
    for (let from: number | null = 0; from !== null; ) {
      const part = await transcript(reading, { ...REF, from, limit: 1 })
      parts.push(part)
      from = part.next
    }
    expect(parts.map(({ unread }) => unread)).toEqual([1, 1])
    expect(parts.flatMap((part) => part.unread_parts.map(({ place }) => place))).toEqual(places)
  })
})

describe('an exported session', () => {
  const exported = async (format: ExportFormat) => {
    const target = join(folder, `exported.${format}`)
    const { messages } = await exportSession(reading, { ...REF, format, file: target })
    expect(messages).toBe(2)
    return readFileSync(target, 'utf8')
  }

  it('reports what could not be read', async () => {
    const last = (await exported('jsonl')).trimEnd().split('\n').at(-1) ?? ''
    const places = [2, 4].map((line) => ({ place: `${file}:${line}`, reason: expect.any(String) }))
    expect(JSON.parse(last)).toEqual({ type: 'unread', unread: 2, unread_parts: places })
    expect(await exported('markdown')).toContain('\n## 2 parts could not be read\n\n- ')
    const page = await exported('html')
    expect(page).toContain('<b>2 parts could not be read</b>')
    expect(page).toContain('one.jsonl:4')
    writeFileSync(file, `${[row(1), row(2)].join('\n')}\n`)
    for (const format of ['jsonl', 'markdown', 'html'] as const) {
      rmSync(join(folder, `exported.${format}`))
      expect(await exported(format)).not.toMatch(/"unread"|could not be read/)
    }
  })
})
