import { describe, expect, it } from 'vitest'
import { EMPTY } from './composer/drafts.ts'
import { filesOf, inputOf } from './input-of.ts'

const anybody = { runtime: null, model: null }
const kept = [{ name: 'a.log', media_type: 'text/plain', bytes: 3 }]
const added = [{ name: 'b.md', media_type: 'text/markdown', bytes: 1, input: { text: 'x' } }]

describe('what is sent', () => {
  it('names who is to answer, and a model only where one was chosen', () => {
    const draft = { ...EMPTY, text: 'Hi' }
    expect(inputOf(draft, anybody)).toEqual({ message: 'Hi' })
    expect(inputOf(draft, { runtime: 'acp:mine', model: null })).toEqual({
      message: 'Hi',
      runtime: 'acp:mine',
    })
    expect(inputOf(draft, { runtime: 'jarvis', model: 'local/big' })).toMatchObject({ model: 'local/big' })
  })

  it('in place of a message keeps its files without naming them, until they are taken away or others come', () => {
    const edited = { ...EMPTY, text: 'Again', replaces: 'u1', kept }
    expect(inputOf(edited, anybody)).toEqual({ message: 'Again', replaces: 'u1' })
    expect(filesOf(edited)).toEqual(kept)
    expect(inputOf({ ...edited, kept: [] }, anybody)).toMatchObject({ files: [] })
    expect(filesOf({ ...edited, kept: [] })).toEqual([])
    const other = { ...edited, kept: [], files: added }
    expect(inputOf(other, anybody)).toMatchObject({
      files: [{ name: 'b.md', media_type: 'text/markdown', text: 'x' }],
    })
    expect(filesOf(other)).toEqual([{ name: 'b.md', media_type: 'text/markdown', bytes: 1 }])
  })
})
