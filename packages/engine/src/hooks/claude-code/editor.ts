import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Editor } from '../plan.ts'
import { type DesiredHooks, handlersFor, isOurs, isTemplateHook, templateHandlers } from './handlers.ts'
import { removeOurHooks, setOurHooks } from './settings.ts'

export type Scope = 'user' | 'project'

/** Returns the user's settings file, or the unshared local settings of one project. */
export function claudeSettingsFile(
  scope: Scope,
  env: Readonly<Record<string, string | undefined>>,
  project: string,
): string {
  if (scope === 'project') return join(project, '.claude', 'settings.local.json')
  return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json')
}

export function claudeEditor(file: string, wish: DesiredHooks): Editor {
  const wanted = handlersFor(wish)
  const secret = [...wanted.values()].some(({ type }) => type === 'http')
  return {
    agent: 'claude-code',
    file,
    install: (text) => setOurHooks(text, wanted, file),
    remove: (text) => removeOurHooks(text, file),
    bare: (text) => removeOurHooks(text, file, isAnyOfOurs),
    hide: [],
    secret,
  }
}

/** Edits the hook that asks for a template. It coexists with the capture hooks. */
export function claudeTemplateEditor(file: string, script: string, home: string): Editor {
  return {
    agent: 'claude-code',
    file,
    install: (text) => setOurHooks(text, templateHandlers(script, home), file, isTemplateHook),
    remove: (text) => removeOurHooks(text, file, isTemplateHook),
    bare: (text) => removeOurHooks(text, file, isAnyOfOurs),
    hide: [],
    secret: false,
  }
}

const isAnyOfOurs = (handler: unknown): boolean => isOurs(handler) || isTemplateHook(handler)
