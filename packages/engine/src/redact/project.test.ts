import { expect, it } from 'vitest'
import { redactEvent } from './event.ts'
import { cleanProject } from './project.ts'

const key = 'a1B2c3D4e5F6g7H8i9J0k1L2'
const folder = `/w/https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${key}`

it("keeps no part of a folder's secret in a project named after the folder", () => {
  expect(cleanProject(key, folder)).not.toContain(key)
  const event = {
    v: 1,
    key: 'k',
    ts: 1,
    event: 'session_start',
    source: 's',
    host: 'h',
    session_id: 's',
  } as const
  const { event: clean } = redactEvent({ ...event, cwd: folder, project: key })
  expect(JSON.stringify(clean)).not.toContain(key)
})

it('keeps the name of a project without a secret', () => {
  expect(cleanProject('notes', '/home/dev/notes/')).toBe('notes')
  expect(cleanProject('Notes of Ada', '/home/dev/notes')).toBe('Notes of Ada')
  expect(cleanProject('notes', null)).toBe('notes')
})
