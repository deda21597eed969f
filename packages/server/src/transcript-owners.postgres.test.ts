import { openTranscripts, type Transcripts } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { telling, textsOf } from '@panoptes/engine/testing/transcripts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestHub, type TestHub } from './hub.test-kit.ts'
import { unwrap } from './server.test-kit.ts'

let database: OwnDatabase
let kit: TestHub
const stores: Transcripts[] = []
beforeAll(async () => {
  database = await ownDatabase()
  const site = async (space: string) => {
    const transcripts = unwrap(await openTranscripts({ url: database.url, schema: `space_${space}` }))
    stores.push(transcripts)
    return { transcripts }
  }
  kit = await startTestHub({ site }, database)
})
afterAll(async () => {
  await kit.stop()
  for (const transcripts of stores) await transcripts.close()
  await database.drop()
})

const made = async (
  of: {
    readonly label?: string
    readonly space?: string
    readonly userId?: string
    readonly expiresAt?: number
  } = {},
) =>
  unwrap(
    await kit.team.createToken({ label: 'laptop', space: 'main', scope: 'ingest', role: 'member', ...of }),
  )
const person = async (name: string) => {
  const { id } = unwrap(await kit.team.createUser({ email: `${name}@a.test` }))
  unwrap(await kit.team.setRole(id, 'main', 'member'))
  return id
}
const tell = (token: string, of: string, id: string, text: string) =>
  kit.request(`/api/transcripts?${of}`, token, {
    method: 'POST',
    body: telling(id, [text])
      .map((change) => JSON.stringify(change))
      .join('\n'),
  })
const known = (token: string, of: string) =>
  kit.request(`/api/transcripts/known?source=claude-code&${of}`, token)

it('lets no token replace or read the sessions that another token sent', async () => {
  const [mast, deck] = [await made(), await made({ label: 'of the deck' })]
  expect((await tell(mast.token, 'host=mast&home=a1', 'one', 'as it was')).status).toBe(200)
  const refused = await tell(deck.token, 'host=mast&home=a1', 'one', 'made up')
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    {
      code: 'other_token',
      detail: expect.stringContaining('The computer mast sends its sessions with another token'),
    },
  ])
  const dropped = await kit.request('/api/transcripts?host=mast&home=a1', deck.token, {
    method: 'POST',
    body: '{"type":"drop","source":"claude-code","id":"one"}',
  })
  expect([dropped.status, (await known(deck.token, 'host=mast&home=a1')).status]).toEqual([403, 403])
  // The refusal is in the audit log too, as one line per minute.
  const refusals = async () =>
    unwrap(
      await kit.team.audit({ space: 'main', action: 'transcripts.tell', actor: 'of the deck', limit: 10 }),
    ).entries.map(({ target, outcome }) => `${target} ${outcome}`)
  await expect.poll(refusals).toEqual(['mast refused'])
  expect(await textsOf(stores[0] as Transcripts, 'one')).toEqual(['as it was'])
  // Another home on a computer of the same name, and the same name in another space, are separate.
  expect((await tell(deck.token, 'host=mast&home=b2', 'two', 'mine')).status).toBe(200)
  const far = await made({ space: 'other' })
  expect((await tell(far.token, 'host=mast&home=a1', 'one', 'far away')).status).toBe(200)
  expect((await tell(mast.token, 'host=mast&home=a1', 'one', 'as it is')).status).toBe(200)
})

it("stores a copy if a token sends another computer's session under its own name, and records both", async () => {
  const [mast, eve] = [await made({ label: 'of the mast' }), await made({ label: 'of eve' })]
  const store = stores[0] as Transcripts
  expect((await tell(mast.token, 'host=yard&home=a1', 'owned', 'as it was')).status).toBe(200)
  for (const of of ['host=eve', 'host=yard', 'host=yard&home=e5'])
    expect((await tell(eve.token, of, 'owned', 'made up')).status).toBe(200)
  for (const of of ['host=eve', 'host=yard', 'host=yard&home=e5']) {
    const dropped = await kit.request(`/api/transcripts?${of}`, eve.token, {
      method: 'POST',
      body: '{"type":"drop","source":"claude-code","id":"owned"}',
    })
    expect(await dropped.json()).toMatchObject({ dropped: 1 })
    expect(await textsOf(store, 'owned')).toEqual(['as it was'])
  }
  const noted = async () =>
    unwrap(
      await kit.team.audit({ space: 'main', action: 'transcripts', actor: 'of eve', limit: 10 }),
    ).entries.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`)
  await expect
    .poll(noted)
    .toEqual([
      'transcripts.drop yard: 1 done',
      'transcripts.drop yard: 1 done',
      'transcripts.drop eve: 1 done',
      'transcripts.copy yard: 1 done',
      'transcripts.copy yard: 1 done',
      'transcripts.copy eve: 1 done',
    ])
})

it("lets nobody name another computer's home inside of a computer name", async () => {
  const { token } = await made()
  expect((await tell(token, 'host=mast%1fa1', 'one', 'made up')).status).toBe(400)
  expect((await tell(token, 'host=mast&home=hub.a1', 'one', 'made up')).status).toBe(400)
})

it('claims no computer for a token that only reads fingerprints, and names the token that holds it', async () => {
  const [curious, own] = [await made(), await made({ label: 'the fleet' })]
  expect((await known(curious.token, 'host=helm&home=a1')).status).toBe(200)
  expect((await tell(own.token, 'host=helm&home=a1', 'h', 'mine')).status).toBe(200)
  const refused = await known(curious.token, 'host=helm&home=a1')
  expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
    403,
    'The computer helm sends its sessions with another token, "the fleet", which is still valid.',
  ])
})

it('lets a freed computer continue with another token, while the first stays valid for its others', async () => {
  const [fleet, next] = [await made(), await made()]
  for (const of of ['host=prow&home=a1', 'host=prow', 'host=prow2&home=a1'])
    expect((await tell(fleet.token, of, 'p', 'old')).status).toBe(200)
  expect(unwrap(await kit.team.releaseUploaders('other', 'prow'))).toBe(0)
  expect((await tell(next.token, 'host=prow&home=a1', 'p', 'next')).status).toBe(403)
  expect(unwrap(await kit.team.releaseUploaders('main', 'prow'))).toBe(2)
  expect((await tell(next.token, 'host=prow&home=a1', 'p', 'next')).status).toBe(200)
  expect((await tell(fleet.token, 'host=prow&home=a1', 'p', 'old')).status).toBe(403)
  expect((await tell(fleet.token, 'host=prow2&home=a1', 'p', 'old')).status).toBe(200)
})

it('frees a computer when its token is revoked or expires', async () => {
  const [old, next] = [await made(), await made()]
  expect((await tell(old.token, 'host=keel', 'k', 'old')).status).toBe(200)
  expect((await tell(next.token, 'host=keel', 'k', 'next')).status).toBe(403)
  unwrap(await kit.team.revokeToken('main', old.about.id))
  expect((await tell(next.token, 'host=keel', 'k', 'next')).status).toBe(200)
  const short = await made({ expiresAt: Date.now() + 4_000 })
  expect((await tell(short.token, 'host=rudder', 'r', 'short')).status).toBe(200)
  expect((await tell(next.token, 'host=rudder', 'r', 'next')).status).toBe(403)
  await expect.poll(async () => (await tell(next.token, 'host=rudder', 'r', 'next')).status).toBe(200)
})

it('lets a person continue with a new token of their own, but no other person', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')]
  const [first, second, his] = [
    await made({ userId: ada }),
    await made({ userId: ada }),
    await made({ userId: bob }),
  ]
  const status = async ({ token }: { readonly token: string }) =>
    (await tell(token, 'host=sail', 's', 'words')).status
  expect([await status(first), await status(second), await status(first), await status(his)]).toEqual([
    200, 200, 200, 403,
  ])
  unwrap(await kit.team.changeUser(ada, { disabled: true }))
  expect(await status(his)).toBe(200)
})

it("accepts token files of the hub's home, but no browser", async () => {
  expect((await tell(await kit.ownToken('ingest'), 'host=sail', 's', 'from here')).status).toBe(200)
  const cookie = `panoptes_hub=${unwrap(await kit.team.signIn(await person('eve'), 'main', Date.now() + 60_000))}`
  const answer = await fetch(`${kit.address}/api/transcripts?host=sail`, {
    method: 'POST',
    body: '',
    headers: { cookie },
  })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'other_token'])
})
