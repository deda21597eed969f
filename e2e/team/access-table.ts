/** An endpoint of the hub, as its OpenAPI document describes it. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly scope: 'open' | 'full' | 'ingest' | 'gateway' | 'metrics' | 'signed'
  readonly role: 'viewer' | 'member' | 'admin' | undefined
  /** A restriction beyond the role. */
  readonly only: 'home' | 'main' | undefined
}

interface Operation {
  readonly 'x-scope': Endpoint['scope']
  readonly 'x-role'?: Endpoint['role']
  readonly 'x-only'?: Endpoint['only']
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export const endpointsOf = ({ paths }: OpenApi): readonly Endpoint[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        scope: operation['x-scope'],
        role: operation['x-role'],
        only: operation['x-only'],
      })),
    )
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))

export const COLUMNS = [
  'no token',
  'wrong',
  'expired',
  'revoked',
  'another space’s',
  'wrong scope',
  'lower role',
  'right',
] as const
export type Column = (typeof COLUMNS)[number]

export type Row = { readonly endpoint: Endpoint } & Readonly<Record<Column, string>>

const NEEDS: Readonly<Record<Endpoint['scope'], string>> = {
  open: 'nothing',
  signed: 'a signature',
  full: 'full',
  ingest: 'ingest, full',
  gateway: 'gateway, full',
  metrics: 'metrics, full',
}

const roleIn = ({ role, only }: Endpoint): string => {
  if (only === 'home') return 'the hub’s own token files'
  return only === 'main' ? 'admin of main' : (role ?? '—')
}

/** Writes the page about who may do what. */
export function accessPage(rows: readonly Row[]): string {
  const lines = rows.map(({ endpoint, ...answers }) => {
    const cells = COLUMNS.map((column) => answers[column])
    return `| \`${endpoint.method} ${endpoint.path}\` | ${[NEEDS[endpoint.scope], roleIn(endpoint), ...cells].join(' | ')} |`
  })
  return `# API access on a hub

This page explains which token and role each endpoint of a hub needs. For example, an \`ingest\` token
whose owner is a member may send events:

\`\`\`sh
curl -H "Authorization: Bearer $TOKEN" -d '{"event":"tool_use","session_id":"hello","tool":"Bash"}' https://HUB/events
\`\`\`

\`npm run access\` writes this page. It tries every endpoint of a real hub on a real PostgreSQL with
every kind of token. \`npm test\` and \`npm run test:full\` fail when an answer changes.

| column | means |
|---|---|
| scope | the token scopes that the hub accepts |
| role | the lowest role in the space that the hub accepts |
| no token, wrong, expired, revoked | the status without a valid token |
| another space’s | the status for a valid token of another space, in a request that names its space with \`panoptes-space\` |
| wrong scope, lower role | the status for a valid token without that scope or role; the answer names the missing right. — means that no lower one exists |
| right | ✓ means that the hub accepts a token with exactly this scope and role. The status then depends on the request |

- Every bad token gets the same status, body and headers, so nobody learns which tokens were once
  valid.
- A request that names no space reaches only the space of its token.
- With \`POST /api/team/tokens\`, an admin can make only \`ingest\` tokens for other people. The hub
  answers any other scope with 403 and writes the attempt to the audit log. Everybody can make their
  own tokens with any scope (\`POST /api/me/tokens\`). On the hub's own machine,
  \`panoptes team tokens create --user\` makes a token of any scope for anybody.

| endpoint | scope | role | ${COLUMNS.join(' | ')} |
|---|---|---|${COLUMNS.map(() => '---').join('|')}|
${lines.join('\n')}
`
}
