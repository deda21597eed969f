import { describe, expect, it } from 'vitest'
import { draftFiles, toChatInput } from './chat-input.ts'
import { EMPTY } from './composer/drafts.ts'

const anybody = { runtime: null, model: null }
const kept = [{ name: 'a.log', media_type: 'text/plain', bytes: 3 }]
const added = [{ name: 'b.md', media_type: 'text/markdown', bytes: 1, input: { text: 'x' } }]

describe('the request of a message', () => {
  it('names the runtime and model only when they were chosen', () => {
    const draft = { ...EMPTY, text: 'Hi' }
    expect(toChatInput(draft, anybody)).toEqual({ message: 'Hi' })
    expect(toChatInput(draft, { runtime: 'acp:mine', model: null })).toEqual({
      message: 'Hi',
      runtime: 'acp:mine',
    })
    expect(toChatInput(draft, { runtime: 'jarvis', model: 'local/big' })).toMatchObject({
      model: 'local/big',
    })
  })

  it('keeps the files of an edited message until they are removed or replaced', () => {
    const edited = { ...EMPTY, text: 'Again', replaces: 'u1', kept }
    expect(toChatInput(edited, anybody)).toEqual({ message: 'Again', replaces: 'u1' })
    expect(draftFiles(edited)).toEqual(kept)
    expect(toChatInput({ ...edited, kept: [] }, anybody)).toMatchObject({ files: [] })
    expect(draftFiles({ ...edited, kept: [] })).toEqual([])
    const other = { ...edited, kept: [], files: added }
    expect(toChatInput(other, anybody)).toMatchObject({
      files: [{ name: 'b.md', media_type: 'text/markdown', text: 'x' }],
    })
    expect(draftFiles(other)).toEqual([{ name: 'b.md', media_type: 'text/markdown', bytes: 1 }])
  })
})
