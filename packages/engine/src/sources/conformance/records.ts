import { message, session, sessionAgent } from '@panoptes/schema'
import { expect } from 'vitest'
import type { Listed, SessionRecord, SessionSource } from '../port.ts'

/** Collects everything an iterable yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const gathered: T[] = []
  for await (const each of items) gathered.push(each)
  return gathered
}

export async function listed(source: SessionSource): Promise<readonly Listed[]> {
  const records = await all(source.list())
  expect(records.filter(({ kind }) => kind !== 'listed')).toEqual([])
  return records.filter((record) => record.kind === 'listed')
}

export async function find(source: SessionSource, id: string): Promise<Listed> {
  const found = (await listed(source)).find((each) => each.id === id)
  if (found === undefined) throw new Error(`${id} is not listed`)
  return found
}

export const read = (source: SessionSource, one: Listed): Promise<readonly SessionRecord[]> =>
  all(source.read(one))

export const textsOf = (records: readonly SessionRecord[]): readonly string[] =>
  records.flatMap((record) =>
    record.kind === 'message'
      ? record.message.content.map((block) => (block.type === 'text' ? block.text : ''))
      : [],
  )

export const messagesOf = (records: readonly SessionRecord[]) =>
  records.flatMap((record) => (record.kind === 'message' ? [record.message] : []))

/** The last record of each agent of a session. */
export const agentsOf = (records: readonly SessionRecord[]) =>
  new Map(records.flatMap((record) => (record.kind === 'agent' ? [[record.agent.id, record.agent]] : [])))

export const sessionOf = (records: readonly SessionRecord[]) => {
  const last = records.at(-1)
  if (last?.kind !== 'session') throw new Error(`the last record is ${JSON.stringify(last)}`)
  return last.session
}

/** Checks what holds for every read that did not fail. */
export function expectWhole(records: readonly SessionRecord[], one: Listed): void {
  const agents = new Set<string>()
  for (const record of records.slice(0, -1)) {
    if (record.kind === 'agent') agents.add(sessionAgent.parse(record.agent).id)
    else if (record.kind === 'message') {
      const { agent_id, session_id } = message.parse(record.message)
      expect(agents).toContain(agent_id)
      expect(session_id).toBe(one.id)
    } else expect(record.kind).toBe('skipped')
  }
  const last = records.at(-1)
  expect(last?.kind).toBe('session')
  if (last?.kind !== 'session') return
  expect(session.parse(last.session)).toMatchObject({ id: one.id, fingerprint: one.fingerprint })
}
