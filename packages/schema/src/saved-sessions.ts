import { plural } from './numbers.ts'
import type { SavedSessions, SessionRetention } from './status.ts'

/** Says how long an agent keeps its sessions. The page and `doctor` say it in the same words. */
export function retentionText(agent: string, retention: SessionRetention): string {
  if (retention.kind === 'days')
    return `${agent} deletes sessions after ${plural(retention.days, 'day', 'days')}.`
  if (retention.kind === 'unlimited') return `${agent} keeps sessions until you delete them.`
  const unknown = `How long ${agent} keeps sessions is unknown.`
  return retention.reason === null ? unknown : `${unknown} ${retention.reason}`
}

/** Says what Panoptes has saved of an agent's sessions, and what to do where it saves nothing. */
export function savedSessionsText(agent: string, saved: SavedSessions): string {
  switch (saved.state) {
    case 'off':
      return [
        'Panoptes saves no sessions, because archive.enabled is false.',
        saved.sessions > 0
          ? `${plural(saved.sessions, 'session', 'sessions')} that it saved before stay.`
          : '',
        'To save them, set archive.enabled to true in config.yaml and restart Panoptes.',
      ]
        .filter((part) => part !== '')
        .join(' ')
    case 'reading':
      return saved.total === 0
        ? 'Panoptes is reading its sessions.'
        : `Panoptes is reading its sessions: ${count(saved.done)} of ${count(saved.total)}.`
    case 'paused':
      return 'Reading is paused, so Panoptes does not save its new sessions.'
    case 'failed':
      return `Panoptes could not read its sessions: ${saved.problem}`
    case 'saved':
      return [savedText(agent, saved), promptsText(saved.prompts_only)]
        .filter((part) => part !== '')
        .join(' ')
  }
}

function savedText(
  agent: string,
  { sessions, deleted }: Extract<SavedSessions, { readonly state: 'saved' }>,
): string {
  if (sessions === 0) return 'Panoptes has saved no sessions yet.'
  const saved = `Panoptes has saved ${plural(sessions, 'session', 'sessions')}`
  if (deleted === 0) return `${saved}.`
  if (sessions === 1) return `${saved}, which ${agent} has deleted.`
  return deleted === sessions
    ? `${saved}, all of which ${agent} has deleted.`
    : `${saved}, ${count(deleted)} of which ${agent} has deleted.`
}

const count = (value: number): string => value.toLocaleString('en-US')

const promptsText = (sessions: number): string =>
  sessions === 0
    ? ''
    : `Of ${plural(sessions, 'further session', 'further sessions')}, only your prompts are left.`
