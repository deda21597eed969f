import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../conformance/expect-changes.ts'
import { lineOf, messageItem, meta, pathOf, put, tempHome } from './codex.test-kit.ts'
import { watchHome } from './watch.ts'

it('reports a home, a day, a line and a name that are created later', async () => {
  const home = join(tempHome(), 'later')
  const expectChange = watching((changed) => watchHome(home, changed, 10), 80)
  await expectChange('a home', () => put(pathOf(home, 'a'), [meta('a')]))
  await expectChange('a line', () => appendFileSync(pathOf(home, 'a'), lineOf(messageItem('user', 'b'))))
  await expectChange('a day', () => put(pathOf(home, 'b', '02'), [meta('b')]))
  await expectChange('a line of that day', () =>
    appendFileSync(pathOf(home, 'b', '02'), lineOf(messageItem('user', 'c'))),
  )
  await expectChange('a name', () =>
    writeFileSync(join(home, 'session_index.jsonl'), '{"id":"a","thread_name":"n"}\n'),
  )
  await expectChange('that all is gone', () => rmSync(home, { recursive: true }))
  await expectChange('that it is there again', () => put(pathOf(home, 'c', '03'), [meta('c')]))
})
