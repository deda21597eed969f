import type { AuditEntry, Role, TeamToken } from '@panoptes/schema'
import { plural } from './plural.ts'

const roles: Record<Role, string> = { viewer: 'viewer', member: 'member', admin: 'admin' }

export const teamWords = {
  title: 'Team',
  sub: (space: string) => `of the space ${space}`,
  hint: 'people, tokens, spaces, what was done',
  roles,
  forRole: { member: 'for members and admins', admin: 'for admins' },
  onlyReads: (space: string) => `You are viewer of the space ${space}: what is shared can be read here.`,
  mayAnswer: 'Members and admins of the space may answer.',
  ownerAnswers: 'Whoever began the conversation may answer.',
  forAll: 'Presets hold for all spaces: the admins of the space main change them.',
  onlyReadsNext: 'To write messages, ask an admin of the space for the role member.',
  notAdmin: (role: Role, space: string) => `You are ${role} of the space ${space}`,
  notAdminNext: 'Its admins see people, all tokens and what was done, and can change them.',

  who: {
    label: (who: string, space: string) => `Signed in as ${who}, in the space ${space}`,
    spaces: 'Spaces',
    here: 'here',
    as: (role: Role) => roles[role],
    toTeam: 'People and tokens',
    signOut: 'Sign out',
  },

  signedOut: {
    title: 'You are signed out',
    body: 'Your sign-in has ended, or your token was revoked.',
    again: 'Sign in',
  },

  people: {
    title: 'People',
    none: 'Nobody is in this space yet.',
    role: (who: string) => `What ${who} may do`,
    never: 'never',
    lastSeen: 'last here',
    disabled: 'disabled',
    disable: 'Disable',
    enable: 'Enable',
    remove: 'Remove',
    do: (what: string, who: string) => `${what} ${who}`,
    askDisable: (who: string) => `Disable ${who}?`,
    disableEffect:
      'They cannot sign in any more, and their tokens are refused, until they are enabled again.',
    askRemove: (who: string) => `Remove ${who}?`,
    removeEffect:
      'They leave this space, their tokens of it end, and they do not come back by signing in. What they did stays in the log. Added again, they have their conversations back.',
    changed: (who: string, role: Role) => `${who} is now ${roles[role]}`,
    isDisabled: (who: string) => `${who} is disabled`,
    isEnabled: (who: string) => `${who} may sign in again`,
    removed: (who: string) => `${who} is removed`,
    added: (who: string) => `${who} is added`,
    add: 'Add',
    addTitle: 'Add somebody',
    email: 'Address',
    name: 'Name',
    as: 'May',
  },

  tokens: {
    title: 'Tokens',
    ownTitle: 'Your tokens',
    none: 'This space has no tokens yet.',
    ownNone: 'You have no tokens in this space yet.',
    ended: (n: number) => `${plural(n, 'token', 'tokens')} that ended`,
    machine: 'a machine',
    lastUsed: 'last used',
    on: (host: string) => `sends as ${host}`,
    never: 'never',
    ends: (when: string) => `ends ${when}`,
    revokedAt: (when: string) => `revoked ${when}`,
    endedAt: (when: string) => `ended ${when}`,
    revoke: 'Revoke',
    revokeLabel: (label: string) => `Revoke ${label}`,
    ask: (label: string) => `Revoke ${label}?`,
    effect: 'Whatever uses it is refused at once. This cannot be undone.',
    revoked: (label: string) => `${label} is revoked`,
    make: 'New token',
    makeTitle: 'A new token',
    create: 'Create',
    label: 'What it is for',
    labelExample: 'build machine',
    scope: 'For',
    whose: 'Whose',
    ofMachine: 'a machine’s: it is nobody’s own',
    ownEffect: 'It acts as you, never with more than your role, and ends when you leave.',
    othersEffect: (who: string) =>
      `It sends events as ${who}, no more, and ends when they leave. One to sign in with is made by themselves, under Settings, or on the hub’s own machine with panoptes team.`,
    role: 'May act as',
    days: 'Ends after',
    dayChoices: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'a year' } as Readonly<
      Record<number, string>
    >,
    forEver: 'never',
    scopes: {
      ingest: 'sending events',
      full: 'the page and the command',
      gateway: 'the models',
      metrics: 'the figures, for Prometheus',
    } satisfies Record<TeamToken['scope'], string>,
    once: 'This is the only time it is shown. Copy it now.',
    made: (label: string) => `The token of ${label}`,
    copy: 'Copy the token',
    done: 'Done',
  },

  spaces: {
    title: 'Spaces',
    here: 'you are here',
    since: (when: string) => `since ${when}`,
    add: 'Add',
    addTitle: 'Add a space',
    name: 'Name',
    nameExample: 'a-z, 0-9 and -',
    added: (name: string) => `The space ${name} is made`,
  },

  audit: {
    title: 'What was done',
    who: 'Who',
    what: 'What',
    any: 'anything',
    actions: {
      users: 'people',
      tokens: 'tokens',
      spaces: 'spaces',
      'sign-in': 'sign-ins',
      'sign-out': 'sign-outs',
    } as Readonly<Record<string, string>>,
    none: 'Nothing was written down yet.',
    noMatch: 'Nothing matches.',
    more: 'Show more',
    somebody: 'somebody',
    outcomes: { done: 'done', refused: 'refused', failed: 'failed' } satisfies Record<
      AuditEntry['outcome'],
      string
    >,
    columns: { when: 'When', who: 'Who', what: 'What', target: 'About', outcome: 'Outcome' },
  },

  share: {
    label: 'Shared',
    on: (space: string) => `Everybody in the space ${space} can read it`,
    off: 'Only you see it',
    by: (who: string) => `shared by ${who}`,
    theirs: (who: string) =>
      `This conversation is ${who}’s. Fork it from one of its messages to go on in your own.`,
    somebody: 'somebody else',
    shared: 'shared',
    nowOn: (space: string) => `Everybody in the space ${space} can read it now`,
    nowOff: 'Only you see it now',
  },
}
