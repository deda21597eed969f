import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Editor } from '../plan.ts'
import { withHermes, withoutHermes } from './config.ts'
import type { HermesWish } from './desired-hooks.ts'

export const hermesConfigFile = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env.HERMES_HOME || join(env.HOME || homedir(), '.hermes'), 'config.yaml')

export function hermesEditor(file: string, wish: HermesWish, secret: string | null): Editor {
  return {
    agent: 'hermes',
    file,
    install: (text) => withHermes(text, wish, file),
    remove: (text) => withoutHermes(text, file),
    bare: (text) => withoutHermes(text, file),
    hide: secret === null ? [] : [secret],
    secret: wish.form === 'webhook' && wish.webhook.secret !== undefined,
  }
}
