import { afterEach, describe, expect, it } from 'vitest'
import { changeDraft, draftOf, drafts, EMPTY } from './drafts.ts'
import { MOST_BYTES, MOST_FILES, readFiles } from './files.ts'
import { type Named, slashIn, slashMatches } from './slash.ts'

const file = (name: string, content: BlobPart, type = '') => new File([content], name, { type })

describe('files of a message', () => {
  it('go as text where they are text, whatever they are called', async () => {
    const { files } = await readFiles(
      [file('notes', 'Grüße\n'), file('a.json', '{}', 'application/json')],
      [],
    )
    expect(files.map(({ name, media_type, bytes, input }) => [name, media_type, bytes, input])).toEqual([
      ['notes', 'text/plain', 8, { text: 'Grüße\n' }],
      ['a.json', 'application/json', 2, { text: '{}' }],
    ])
  })

  it('go byte by byte where they are pictures or no text', async () => {
    const bytes = Uint8Array.from({ length: 20_001 }, (_, i) => i % 256)
    const { files } = await readFiles([file('a.png', 'abc', 'image/png'), file('a.bin', bytes)], [])
    expect(files[0]).toMatchObject({ media_type: 'image/png', input: { data: 'YWJj' } })
    expect(files[1]?.media_type).toBe('application/octet-stream')
    expect(Buffer.from(files[1]?.input.data ?? '', 'base64').equals(bytes)).toBe(true)
  })

  it('are refused in words where they are empty, too large, too many or too much together', async () => {
    const large = file('large.txt', new Uint8Array(9 * 1_048_576).fill(97))
    const { files, problems } = await readFiles([file('empty.txt', ''), large, file('ok.txt', 'x')], [])
    expect(files.map(({ name }) => name)).toEqual(['ok.txt'])
    expect(problems).toEqual(['empty.txt is empty.', 'large.txt is 9 MB: 8 MB is the most.'])
    const many = await readFiles(
      Array.from({ length: MOST_FILES + 1 }, (_, i) => file(`${i}`, 'x')),
      [],
    )
    expect(many.files.length).toBe(MOST_FILES)
    expect(many.problems).toEqual(['20 files are the most.'])
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
    expect(much.problems).toEqual(['Files of one message may have 20 MB together.'])
  })
})

describe('a draft', () => {
  afterEach(() => drafts.set(new Map()))

  it('is kept for each conversation, and gone when it is empty', () => {
    changeDraft('a', { text: 'half a' })
    changeDraft('b', { template: 'review' })
    expect(draftOf('a').text).toBe('half a')
    expect(draftOf('b')).toEqual({ ...EMPTY, template: 'review' })
    changeDraft('a', { text: '' })
    expect(draftOf('a')).toBe(EMPTY)
    expect(drafts.get().size).toBe(1)
  })

  it('is forgotten where there are very many, the oldest first', () => {
    for (let n = 0; n < 60; n += 1) changeDraft(`c${n}`, { text: 'x' })
    expect(drafts.get().size).toBe(50)
    expect(draftOf('c0')).toBe(EMPTY)
  })
})

describe('a slash', () => {
  const all: readonly Named[] = [
    { kind: 'template', name: 'code-review', about: '' },
    { kind: 'skill', name: 'review', about: '' },
    { kind: 'template', name: 'deploy', about: '' },
  ]

  it('looks for what stands after it, alone at the beginning of a message', () => {
    expect(['/', '/rev', 'a /rev', '/a b', '//', '/path/to', ''].map(slashIn)).toEqual([
      '',
      'rev',
      null,
      null,
      null,
      null,
      null,
    ])
  })

  it('finds those first whose name begins with it', () => {
    expect(slashMatches('REV', all).map(({ name }) => name)).toEqual(['review', 'code-review'])
    expect(slashMatches('', all).length).toBe(3)
    expect(slashMatches('x', all)).toEqual([])
  })
})
