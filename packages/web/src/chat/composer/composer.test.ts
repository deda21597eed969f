import { afterEach, describe, expect, it } from 'vitest'
import { changeDraft, drafts, EMPTY, getDraft } from './drafts.ts'
import { MOST_BYTES, MOST_FILES, readFiles } from './files.ts'
import { findSlashMatches, parseSlash, type SlashItem } from './slash.ts'

const file = (name: string, content: BlobPart, type = '') => new File([content], name, { type })

describe('files of a message', () => {
  it('are sent as text when their content is text, whatever their name', async () => {
    const { files } = await readFiles(
      [file('notes', 'Grüße\n'), file('a.json', '{}', 'application/json')],
      [],
    )
    expect(files.map(({ name, media_type, bytes, input }) => [name, media_type, bytes, input])).toEqual([
      ['notes', 'text/plain', 8, { text: 'Grüße\n' }],
      ['a.json', 'application/json', 2, { text: '{}' }],
    ])
  })

  it('are sent as bytes when they are images or not text', async () => {
    const bytes = Uint8Array.from({ length: 20_001 }, (_, i) => i % 256)
    const { files } = await readFiles([file('a.png', 'abc', 'image/png'), file('a.bin', bytes)], [])
    expect(files[0]).toMatchObject({ media_type: 'image/png', input: { data: 'YWJj' } })
    expect(files[1]?.media_type).toBe('application/octet-stream')
    expect(Buffer.from(files[1]?.input.data ?? '', 'base64').equals(bytes)).toBe(true)
  })

  it('are rejected with a reason when they are empty, too large, too many or exceed the total', async () => {
    const large = file('large.txt', new Uint8Array(9 * 1_048_576).fill(97))
    const { files, problems } = await readFiles([file('empty.txt', ''), large, file('ok.txt', 'x')], [])
    expect(files.map(({ name }) => name)).toEqual(['ok.txt'])
    expect(problems).toEqual(['empty.txt is empty.', 'large.txt is 9 MB. The limit is 8 MB.'])
    const many = await readFiles(
      Array.from({ length: MOST_FILES + 1 }, (_, i) => file(`${i}`, 'x')),
      [],
    )
    expect(many.files.length).toBe(MOST_FILES)
    expect(many.problems).toEqual(['You can attach up to 20 files.'])
    const heavy = (name: string) => ({
      name,
      media_type: 'text/plain',
      bytes: MOST_BYTES,
      input: { text: '' },
    })
    const taken = Array.from({ length: MOST_FILES - 1 }, (_, i) => ({ ...heavy(`${i}`), bytes: 1 }))
    const last = await readFiles([file('a', 'x'), file('b', 'x')], taken)
    expect([last.files.length, last.problems.length]).toEqual([1, 1])
    const much = await readFiles([file('more', new Uint8Array(5_000_000).fill(97))], [heavy('a'), heavy('b')])
    expect(much.problems).toEqual(['Files in one message can total up to 20 MB.'])
  })
})

describe('drafts', () => {
  afterEach(() => drafts.set(new Map()))

  it('are stored per conversation and removed when they become empty', () => {
    changeDraft('a', { text: 'half a' })
    changeDraft('b', { template: 'review' })
    expect(getDraft('a').text).toBe('half a')
    expect(getDraft('b')).toEqual({ ...EMPTY, template: 'review' })
    changeDraft('a', { text: '' })
    expect(getDraft('a')).toBe(EMPTY)
    expect(drafts.get().size).toBe(1)
  })

  it('are limited to 50, with the oldest dropped first', () => {
    for (let n = 0; n < 60; n += 1) changeDraft(`c${n}`, { text: 'x' })
    expect(drafts.get().size).toBe(50)
    expect(getDraft('c0')).toBe(EMPTY)
  })
})

describe('the slash menu', () => {
  const all: readonly SlashItem[] = [
    { kind: 'template', name: 'code-review', about: '' },
    { kind: 'skill', name: 'review', about: '' },
    { kind: 'template', name: 'deploy', about: '' },
  ]

  it('opens only for a single word after a slash at the start of the message', () => {
    expect(['/', '/rev', 'a /rev', '/a b', '//', '/path/to', ''].map(parseSlash)).toEqual([
      '',
      'rev',
      null,
      null,
      null,
      null,
      null,
    ])
  })

  it('lists names that start with the query before other matches', () => {
    expect(findSlashMatches('REV', all).map(({ name }) => name)).toEqual(['review', 'code-review'])
    expect(findSlashMatches('', all).length).toBe(3)
    expect(findSlashMatches('x', all)).toEqual([])
  })
})
