import type { Team } from '@panoptes/engine/store'
import { failure, success, type TeamUser } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { admit } from './admission.ts'

const user = (id: string, more: object = {}) =>
  ({
    id,
    email: `${id}@acme.example`,
    name: id,
    disabled: false,
    roles: { main: 'member' },
    ...more,
  }) as unknown as TeamUser
const TOLD = { subject: 'sub-1', email: 'ann@acme.example', verified: true, name: 'Ann' }
const WANTED = { domains: ['Acme.example'], role: 'viewer', space: 'lab' } as unknown as Parameters<
  typeof admit
>[1]

/** A team with these people; the account at the provider is bound to `bound`. */
function teamOf(people: readonly TeamUser[], bound?: TeamUser) {
  const links: string[] = []
  const team = {
    findUser: async (by: { subject?: string; email?: string }) =>
      success(by.subject === undefined ? people.find(({ email }) => email === by.email) : bound),
    linkUser: async (id: string, subject: string) => {
      if (id === 'taken') return failure('invalid', 'It is of another account.')
      links.push(`${id} ${subject}`)
      return success(null)
    },
    createUser: async ({ email, name }: { email: string; name: string }) =>
      success(user('new', { email, name, roles: {} })),
    setRole: async (id: string, space: string, role: string) =>
      success(user(id, { roles: { [space]: role } })),
  } as unknown as Team
  return { team, links, admit: (told: object = {}) => admit(team, WANTED, { ...TOLD, ...told }) }
}

describe('admit', () => {
  it('admits the person that the account is bound to, whatever their address is now', async () => {
    const ann = user('ann')
    const { admit: ask, links } = teamOf([], ann)
    expect(await ask({ email: null, verified: false })).toEqual(success({ user: ann, space: 'main' }))
    expect(links).toEqual([])
  })

  it('admits a team member with that verified address, and binds them to the account', async () => {
    const ann = user('ann')
    const { admit: ask, links } = teamOf([ann])
    expect(await ask({ verified: false })).toEqual(success({ because: 'unverified' }))
    expect(await ask({ email: null })).toEqual(success({ because: 'unknown' }))
    expect(links).toEqual([])
    expect(await ask()).toEqual(success({ user: ann, space: 'main' }))
    expect(links).toEqual(['ann sub-1'])
  })

  it('admits a newcomer of an allowed domain, with the role of newcomers', async () => {
    const { admit: ask, links } = teamOf([])
    expect(await ask()).toMatchObject({
      value: { user: { id: 'new', roles: { lab: 'viewer' } }, space: 'lab' },
    })
    expect(links).toEqual(['new sub-1'])
    for (const email of ['eve@other.example', 'eve@evil-acme.example', 'eve@acme.example@other.example'])
      expect(await ask({ email })).toEqual(success({ because: 'unknown' }))
  })

  it('refuses people who are disabled, were removed from every space, or have another account', async () => {
    expect(await teamOf([], user('ann', { disabled: true })).admit()).toEqual(
      success({ because: 'disabled', spaces: ['main'] }),
    )
    const removed = teamOf([user('ann', { roles: {} })])
    expect(await removed.admit()).toEqual(success({ because: 'nowhere' }))
    expect(removed.links).toEqual([])
    expect(await teamOf([], user('ann', { roles: {} })).admit()).toEqual(success({ because: 'nowhere' }))
    expect(await teamOf([user('taken', { email: TOLD.email })]).admit()).toEqual(
      success({ because: 'unknown' }),
    )
  })

  it('chooses the space for newcomers, else the first space, else any', async () => {
    const spaceOf = async (roles: object) => {
      const found = await teamOf([], user('ann', { roles })).admit()
      return found.ok && 'space' in found.value ? found.value.space : undefined
    }
    expect(await spaceOf({ alpha: 'member', lab: 'viewer', main: 'admin' })).toBe('lab')
    expect(await spaceOf({ alpha: 'member', main: 'admin' })).toBe('main')
    expect(await spaceOf({ zeta: 'member', alpha: 'member' })).toBe('alpha')
  })
})
