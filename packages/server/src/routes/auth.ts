import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { auditActor } from '../auth/audit.ts'
import { clientAddress } from '../auth/client-address.ts'
import type { People } from '../auth/people.ts'
import type { Admission } from '../auth/sign-in/admission.ts'
import type { FinishedSignIn, SignIn } from '../auth/sign-in/sign-in.ts'
import type { RequestHead } from '../authenticate.ts'
import { escapeHtml, plainPage } from '../plain-page.ts'
import { notFound, refusalToAnybody } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { type Call, JSON_TYPE, json, type Reply, type Route } from '../route.ts'
import { redirectSignedIn, signInPage } from '../sign-in.ts'
import { requireTeam } from './team.ts'

/** How long a browser stays signed in. */
const STAYS_S = 7 * 86_400
const HTML = { type: 'text/html' }
const SMALL_BODY = 4_096
const MOST_REASON = 500

/** Sign-in and sign-out of browsers in a team. On a single computer there is only the one-time link. */
export const authRoutes = (context: AppContext): readonly Route[] =>
  [beginRoute(context), callbackRoute(context), tokenRoute(context), signOutRoute(context)].map((each) =>
    requireTeam(context, each),
  )

const beginRoute = ({ people, options: { log } }: AppContext): Route => ({
  method: 'GET',
  path: '/auth/sign-in',
  scope: 'open',
  summary: 'Redirect a browser to the team’s identity provider.',
  query: z.object({ to: z.string().optional() }),
  reply: { type: 'text/html', status: 303 },
  answer: async ({ url, incoming: { headers }, requestHead }) => {
    if (!people?.signIn) return notFound(url.pathname)
    const begun = await people.signIn.begin(url.searchParams.get('to'))
    if (!begun.ok) {
      recordFailure({ people, log, requestHead }, begun.message)
      return failurePage(
        headers,
        502,
        'The provider does not answer',
        'Try again in a moment. If this persists, ask an admin to check team.sign_in in config.yaml of the hub.',
      )
    }
    return new Response(null, {
      status: 303,
      headers: { location: begun.value.url, 'set-cookie': begun.value.cookie },
    })
  },
})

const callbackRoute = ({ people, options: { log } }: AppContext): Route => ({
  method: 'GET',
  path: '/auth/callback',
  scope: 'open',
  summary: 'The identity provider sends the browser back here.',
  reply: HTML,
  answer: async (call) => {
    if (!people?.signIn) return notFound(call.url.pathname)
    const { signIn } = people
    const { headers } = call.incoming
    const finished = await signIn.finish(call.url.search, signIn.cookie.read(headers))
    if (!finished.ok) recordFailure({ people, log, requestHead: call.requestHead }, finished.message)
    if (!finished.ok && finished.code !== 'invalid' && finished.code !== 'denied')
      return refusalToAnybody(finished)
    const answer = finished.ok
      ? await finishSignIn({ people, signIn, requestHead: call.requestHead }, finished.value, headers)
      : finished.code === 'denied'
        ? failurePage(
            headers,
            502,
            'The provider did not confirm your sign-in',
            'Sign in again. If this persists, ask an admin: the log of the hub and the audit log give the reason.',
          )
        : failurePage(
            headers,
            400,
            'Sign-in failed',
            'The provider’s answer belongs to another browser or is too old.',
          )
    if (answer instanceof Response) answer.headers.append('set-cookie', signIn.cookie.clear())
    return answer
  },
})

interface FailureContext {
  readonly people: People
  readonly log: AppContext['options']['log']
  readonly requestHead: RequestHead
}

/**
 * Records why a sign-in failed in the log and in the audit log, where an admin can act on it. The browser learns
 * only that it failed.
 */
function recordFailure({ people, log, requestHead }: FailureContext, message: string): void {
  const target = message.slice(0, MOST_REASON)
  log.warn({ reason: target }, 'sign-in failed')
  const note = {
    ...unknownClient(people, requestHead),
    actor: null,
    action: 'sign-in',
    target,
    outcome: 'failed',
  } as const
  // The provider or the browser may word the reason differently each time, so the reason is not part of the key.
  people.audit.noteOnce(note, 'any reason')
}

async function finishSignIn(
  {
    people,
    signIn,
    requestHead,
  }: { readonly people: People; readonly signIn: SignIn; readonly requestHead: RequestHead },
  { claims, admitted, to }: FinishedSignIn,
  headers: Call['incoming']['headers'],
): Promise<Reply> {
  const who = {
    ...unknownClient(people, requestHead),
    actor: claims.email ?? claims.subject,
    action: 'sign-in',
  }
  if ('because' in admitted) {
    // A refusal of a known person is recorded in each of their spaces, as if there were no other space.
    const spaces = admitted.spaces?.length ? admitted.spaces : [people.home]
    for (const space of spaces) {
      const note = { ...who, space, target: admitted.because, outcome: 'refused' } as const
      people.audit.noteOnce(note, `${admitted.because} ${space}`)
    }
    const [title, text] = explainRefusal(admitted.because, claims.email, signIn.provider)
    return failurePage(headers, 403, title, text)
  }
  const { user, space } = admitted
  const secret = await people.team.signIn(user.id, space, Date.now() + STAYS_S * 1_000)
  if (!secret.ok) return refusalToAnybody(secret)
  // The browser's previous sign-in ends, since the new cookie replaces its only copy.
  const before = people.cookie.read(headers)
  if (before !== undefined) {
    const out = await people.team.signOut(before)
    if (out.ok && out.value) people.recheckAccess()
  }
  people.audit.note({ ...who, space, user_id: user.id, target: null, outcome: 'done' })
  // This request came from the provider's site, so the browser withholds its SameSite cookie on a redirect. A page
  // of this server that goes on by itself makes the browser send it.
  return plainPage({
    status: 200,
    headers,
    title: 'Signed in',
    body: `<h1>Signed in</h1>\n<p><a href="${escapeHtml(to)}">Continue</a></p>`,
    next: to,
    cookies: [people.cookie.set(secret.value, STAYS_S)],
  })
}

function explainRefusal(
  because: Extract<Admission, { because: unknown }>['because'],
  email: string | null,
  provider: string,
): readonly [title: string, text: string] {
  const who = email === null ? 'You are' : `${escapeHtml(email)} is`
  switch (because) {
    case 'disabled':
      return ['You cannot sign in here', `${who} disabled here. An admin of the team can enable you again.`]
    case 'unverified':
      return [
        'Your address is not verified',
        `${escapeHtml(provider)} does not say that ${escapeHtml(email ?? 'your address')} belongs to you. Verify it there, then sign in again.`,
      ]
    case 'nowhere':
      return [
        'You are not in a space',
        `${who} known here but not in a space. Ask an admin of the team to add you to one.`,
      ]
    case 'unknown':
      return [
        'You are not in the team yet',
        `${who} not known here. Ask an admin of the team to add you: <code>panoptes team users add</code>`,
      ]
  }
}

/** Signs in a browser with a token of a person or a machine that was typed into the page. */
const tokenRoute = (context: AppContext): Route => ({
  method: 'POST',
  path: '/auth/token',
  scope: 'open',
  action: null,
  summary: 'Sign in a browser with a token of a space.',
  body: { type: 'application/x-www-form-urlencoded', schema: z.object({ token: z.string() }) },
  reply: { type: 'text/html', status: 303 },
  answer: async ({ incoming, url, requestHead }) => {
    const { people, options } = context
    if (!people) return notFound(url.pathname)
    const token = await withBody(incoming, SMALL_BODY, (text) => new URLSearchParams(text).get('token') ?? '')
    if (typeof token !== 'string') return token
    const found = await people.team.identify(token.trim())
    if (!found.ok) return refusalToAnybody(found)
    const { headers } = incoming
    const identity = 'identity' in found.value ? found.value.identity : undefined
    const actor = identity
      ? auditActor({ identity, space: identity.space }, requestHead)
      : { ...unknownClient(people, requestHead), actor: null }
    if (identity === undefined || identity.scope !== 'full' || identity.token_id === null) {
      const target = 'refused' in found.value ? found.value.refused : 'wrong_scope'
      people.audit.noteOnce({ ...actor, action: 'sign-in', target, outcome: 'refused' })
      const hub = { provider: people.signIn?.provider ?? null, to: '/' }
      return signInPage({ headers, command: options.command ?? 'panoptes', hub }, 'wrong_token')
    }
    people.audit.note({ ...actor, action: 'sign-in', target: null, outcome: 'done' })
    return redirectSignedIn(people.cookie.set(token.trim(), STAYS_S))
  },
})

const signOutRoute = ({ people, credentials }: AppContext): Route => ({
  method: 'POST',
  path: '/auth/sign-out',
  scope: 'open',
  action: 'sign-out',
  summary: 'Sign out this browser.',
  reply: { type: JSON_TYPE, schema: z.object({ signed_out: z.literal(true) }) },
  answer: async ({ incoming: { headers }, url }) => {
    if (!people) return notFound(url.pathname)
    const secret = people.cookie.read(headers)
    if (secret !== undefined) {
      const out = await people.team.signOut(secret)
      if (!out.ok) return refusalToAnybody(out)
      if (out.value) people.recheckAccess()
    }
    credentials.signOut(headers)
    const answer = json({ signed_out: true })
    for (const line of [people.cookie.clear(), credentials.clearCookie()])
      answer.headers.append('set-cookie', line)
    return answer
  },
})

/** An unknown client, for the audit log of the hub's own space. */
const unknownClient = ({ home }: People, asked: RequestHead) => ({
  user_id: null,
  token_id: null,
  space: home,
  address: clientAddress(asked) || null,
})

const failurePage = (
  headers: Call['incoming']['headers'],
  status: number,
  title: string,
  text: string,
): Response =>
  plainPage({
    status,
    headers,
    title,
    body: `<h1>${title}</h1>\n<p>${text}</p>\n<p><a class="go" href="/auth/sign-in">Sign in again</a></p>`,
  })
