import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../battery/watching.ts'
import { asked, linesOf, pathOf, put, tempProjects } from './claude-code.test-kit.ts'
import { watchSessions } from './watch.ts'

it('tells of a folder, a project and a row that are made later', async () => {
  const folder = join(tempProjects(), 'later')
  const told = watching((changed) => watchSessions(folder, changed, { gatherMs: 10, lookMs: 30 }), 80)
  await told('a folder', () => put(pathOf(folder, 'a'), [asked('go')]))
  await told('a project', () => put(pathOf(folder, 'b', 'other'), [asked('go')]))
  await told('a row of it', () => appendFileSync(pathOf(folder, 'b', 'other'), linesOf([asked('more')])))
  await told('that all is gone', () => rmSync(folder, { recursive: true }))
  await told('that it is there again', () => put(pathOf(folder, 'c'), [asked('go')]))
})
