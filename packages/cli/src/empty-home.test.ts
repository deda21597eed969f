import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { claudeSettingsFile } from '@panoptes/engine/hooks'
import { expect, it, onTestFinished } from 'vitest'
import { dropEmptyHome, makeContext } from './context.ts'

it('treats an empty HOME as unset, so that nothing is stored in the current folder', () => {
  const before = process.env.HOME
  onTestFinished(() => {
    process.env.HOME = before
  })
  process.env.HOME = ''
  dropEmptyHome()
  const { paths, env } = makeContext([], { ...process.env, PANOPTES_HOME: '' })
  expect(isAbsolute(homedir())).toBe(true)
  expect(paths.home).toBe(`${homedir()}/.panoptes`)
  expect(isAbsolute(claudeSettingsFile('user', env, '/x'))).toBe(true)
})

it('keeps a HOME that is set', () => {
  const env = { HOME: '/h' }
  dropEmptyHome(env)
  expect(env).toEqual({ HOME: '/h' })
})
