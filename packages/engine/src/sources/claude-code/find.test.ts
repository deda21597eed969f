import { appendFileSync, rmSync } from 'node:fs'
import type { Message } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { find, messagesOf } from '../conformance/records.ts'
import {
  agentPathOf,
  call,
  pathOf,
  promptRow,
  put,
  readOne,
  replied,
  result,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

async function foundIn(folder: string, id: string, ids: readonly string[]): Promise<readonly Message[]> {
  const source = claudeCodeSource(folder)
  return (await source.find?.(await find(source, id), ids)) ?? []
}
const textsOf = (messages: readonly Message[]) =>
  messages.map(({ content }) => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])))

describe('finding single messages of a transcript', () => {
  it('returns the messages of a full read, including multi-row replies and agents', async () => {
    const folder = tempProjects()
    put(pathOf(folder, 'one'), [
      promptRow('put the mast up', 0, { uuid: 'u-1' }),
      replied('msg-1', [{ type: 'thinking', thinking: 'hm' }], [1, 1], { parentUuid: 'u-1' }),
      replied('msg-1', [{ type: 'text', text: 'first' }, call('t-1')], [1, 2]),
      result('t-1'),
      replied('msg-1', 'second', [1, 3]),
      promptRow('and "u-1" again', 3, { uuid: 'u-2', parentUuid: 'u-1' }),
    ])
    put(agentPathOf(folder, 'one', 'a1'), [
      promptRow('look for the mast', 1, { uuid: 'u-3', isSidechain: true }),
    ])
    const read = messagesOf(await readOne(folder, 'one'))
    const ids = ['u-3', 'msg-1', 'u-2', 'u-1']
    const found = await foundIn(folder, 'one', ids)
    expect(found.map(({ id }) => id)).toEqual(['u-1', 'msg-1', 'u-2', 'u-3'])
    for (const one of found)
      expect(one).toEqual(read.find(({ id, agent_id }) => id === one.id && agent_id === one.agent_id))
    expect(textsOf(found)[1]).toEqual(['first', 'second'])
  })

  it('finds messages far into a large file, across chunks, and in the last line', async () => {
    const folder = tempProjects()
    const rows = Array.from({ length: 3_000 }, (_, n) =>
      promptRow(`${n} ${'x'.repeat(1_000)}`, n % 60, { uuid: `u-${n}` }),
    )
    put(pathOf(folder, 'long'), rows)
    appendFileSync(pathOf(folder, 'long'), JSON.stringify(promptRow('unended', 0, { uuid: 'last' })))
    const ids = ['u-0', 'u-1047', 'u-1048', 'u-2999', 'last']
    expect((await foundIn(folder, 'long', ids)).map(({ id }) => id)).toEqual(ids)
  })

  it('stops searching when nobody waits any more', async () => {
    const folder = tempProjects()
    const rows = Array.from({ length: 3_000 }, (_, n) =>
      promptRow('x'.repeat(1_000), n % 60, { uuid: `u-${n}` }),
    )
    put(pathOf(folder, 'long'), rows)
    const source = claudeCodeSource(folder)
    const found = await source.find?.(await find(source, 'long'), ['u-1', 'u-2999'], () => true)
    expect(found?.map(({ id }) => id)).toEqual(['u-1'])
  })

  it('leaves out missing and half-written messages and missing files', async () => {
    const folder = tempProjects()
    const path = pathOf(folder, 'one')
    put(path, [promptRow('here', 0, { uuid: 'u-1' })])
    appendFileSync(path, '{"type":"user","uuid":"half","message":{"content":"')
    expect((await foundIn(folder, 'one', ['', 'half', 'none', 'u-1'])).map(({ id }) => id)).toEqual(['u-1'])
    const source = claudeCodeSource(folder)
    const one = await find(source, 'one')
    rmSync(path)
    expect(await source.find?.(one, ['u-1'])).toEqual([])
  })
})
