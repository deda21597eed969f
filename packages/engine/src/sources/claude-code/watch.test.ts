import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../conformance/expect-changes.ts'
import { linesOf, pathOf, promptRow, put, tempProjects } from './claude-code.test-kit.ts'
import { watchSessions } from './watch.ts'

it('reports a folder, a project and a row that are created later', async () => {
  const folder = join(tempProjects(), 'later')
  const expectChange = watching((changed) => watchSessions(folder, changed, 10), 80)
  await expectChange('a folder', () => put(pathOf(folder, 'a'), [promptRow('go')]))
  await expectChange('a project', () => put(pathOf(folder, 'b', 'other'), [promptRow('go')]))
  await expectChange('a row of it', () =>
    appendFileSync(pathOf(folder, 'b', 'other'), linesOf([promptRow('more')])),
  )
  await expectChange('that all is gone', () => rmSync(folder, { recursive: true }))
  await expectChange('that it is there again', () => put(pathOf(folder, 'c'), [promptRow('go')]))
})
