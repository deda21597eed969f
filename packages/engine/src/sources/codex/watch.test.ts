import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../battery/watching.ts'
import { lineOf, meta, pathOf, put, said, tempHome } from './codex.test-kit.ts'
import { watchHome } from './watch.ts'

it('tells of a home, a day, a line and a name that are made later', async () => {
  const home = join(tempHome(), 'later')
  const told = watching((changed) => watchHome(home, changed, { gatherMs: 10, lookMs: 30 }), 80)
  await told('a home', () => put(pathOf(home, 'a'), [meta('a')]))
  await told('a line', () => appendFileSync(pathOf(home, 'a'), lineOf(said('user', 'b'))))
  await told('a day', () => put(pathOf(home, 'b', '02'), [meta('b')]))
  await told('a line of that day', () => appendFileSync(pathOf(home, 'b', '02'), lineOf(said('user', 'c'))))
  await told('a name', () =>
    writeFileSync(join(home, 'session_index.jsonl'), '{"id":"a","thread_name":"n"}\n'),
  )
  await told('that all is gone', () => rmSync(home, { recursive: true }))
  await told('that it is there again', () => put(pathOf(home, 'c', '03'), [meta('c')]))
})
