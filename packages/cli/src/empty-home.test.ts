import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { claudeSettingsFile } from '@panoptes/engine/hooks'
import { expect, it, onTestFinished } from 'vitest'
import { makeContext } from './context.ts'
import { dropEmptyHome } from './empty-home.ts'

it('takes an empty HOME for none: nothing is kept in the folder one happens to be in', () => {
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

it('leaves a HOME that says something', () => {
  const env = { HOME: '/h' }
  dropEmptyHome(env)
  expect(env).toEqual({ HOME: '/h' })
})
