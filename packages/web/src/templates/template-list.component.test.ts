import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, pressNow, userEvent } from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import { answerTemplates, listedTemplate, measure, wholeTemplate } from './templates.test-kit.ts'

const WIDE = [1440, 900] as const
const row = (name: string | RegExp) =>
  page.getByRole('row', { name: typeof name === 'string' ? new RegExp(name) : name })
const panel = (name: string) => page.getByRole('complementary', { name: `Template ${name}` })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const grid = page.getByRole('grid')

describe('the list of templates', () => {
  it('names invalid template files and shows templates of Hermes as read-only', async ({
    server,
    open,
    copied,
  }) => {
    answerTemplates(server, {
      templates: [
        listedTemplate({ name: 'ours' }),
        listedTemplate({ name: 'morning', place: 'hermes', task_type: 'research', notes: null }),
      ],
      broken: [{ file: '/home/dev/.panoptes/templates/half.json', reason: 'is not JSON' }],
    })
    await open('/templates?type=research', WIDE)
    await expect
      .element(page.getByText(/^1 file is not a valid template\. Panoptes leaves it unchanged:/))
      .toBeVisible()
    await expect.element(page.getByText('half.json')).toBeVisible()
    await expect.element(page.getByText('In /home/dev/.panoptes/templates')).toBeVisible()
    await expect.element(row('morning.*research.*Not used yet')).toBeVisible()
    await expect.element(row('ours')).not.toBeInTheDocument()
    await expect.element(panel('morning').getByText('from Hermes, read-only')).toBeVisible()
    await expect.element(button('Delete morning')).toBeDisabled()
    await button('Copy the folder’s path').click()
    await expect.element(page.getByText('Copied the path')).toBeVisible()
    expect(copied()).toBe('/home/dev/.panoptes/templates')
  })

  it('renders only visible rows of hundreds, filters by type and supports the keyboard', async ({
    server,
    open,
  }) => {
    answerTemplates(server, {
      templates: Array.from({ length: 600 }, (_, n) =>
        listedTemplate({
          name: n === 1 ? 'first' : `one ${n}`,
          task_type: n % 3 === 0 ? 'terminal' : 'code',
        }),
      ),
    })
    await open('/templates', WIDE)
    await expect.element(page.getByText('600 templates · used 0 times')).toBeVisible()
    expect(page.getByRole('row').elements().length).toBeLessThan(40)
    await page.getByText('terminal 200').click()
    await expect.element(grid).toHaveAttribute('aria-rowcount', '201')
    await expect.poll(() => location.search).toBe('?type=terminal')
    await page.getByText('All 600').click()
    await expect.element(grid).toHaveAttribute('aria-rowcount', '601')
    await userEvent.keyboard('jj{Enter}')
    await expect.element(panel('first').getByText('3 examples')).toBeVisible()
    await expect.poll(() => location.search).toBe('?name=first')
    await userEvent.keyboard('{End}')
    await expect.element(row('one 599')).toBeInViewport()
    await expect.element(grid).toHaveFocus()
    const around = document.querySelector('table')?.parentElement
    expect(around && getComputedStyle(around, '::after').outlineWidth).toBe('2px')
  })

  it('separates two templates with one name and scrolls to the one in the address', async ({
    server,
    open,
  }) => {
    const others = Array.from({ length: 60 }, (_, n) => listedTemplate({ name: `at ${n}` }))
    const ours = listedTemplate({ name: 'twin' })
    const theirs = listedTemplate({ name: 'twin', place: 'hermes', created_at: 1e14, examples: 1 })
    answerTemplates(server, { templates: [theirs, ...others.slice(0, 9), ours, ...others.slice(9)] })
    await open('/templates?name=twin', WIDE)
    await expect.element(panel('twin').getByText('3 examples')).toBeVisible()
    const selected = page.getByRole('row', { selected: true })
    await expect.element(selected).toHaveAttribute('aria-rowindex', '12')
    await eventually(() => {
      const [box, chosen] = [grid.element(), selected.element()].map((one) => one.getBoundingClientRect())
      return box && chosen && chosen.top >= box.top + 28 && chosen.bottom <= box.bottom + 1
    }).toBe(true)
    await userEvent.keyboard('j{Home}')
    await row('twin.*from Hermes').click()
    await expect.element(panel('twin').getByText(/date unknown/)).toBeVisible()
    await expect.element(panel('twin').getByText('1 example')).toBeVisible()
    await expect.poll(() => location.search).toMatch(/name=twin&place=hermes/)
    await expect.element(button('Delete twin')).toBeDisabled()
  })

  it('shows why it cannot load and tries again', async ({ server, open }) => {
    answerTemplates(server)
    const problem = { detail: 'The folder cannot be read.', next: 'See that you may read it.' }
    server.fail('GET /api/templates', 500, problem)
    await open('/templates')
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'The folder cannot be read. See that you may read it.' })
    await expect.element(alert).toBeVisible()
    answerTemplates(server, { templates: [listedTemplate({ name: 'back_again' })] })
    pressNow(alert.getByRole('button', { name: 'Try again' }))
    await expect.element(row('back_again')).toBeVisible()
  })

  it('hides all changes from a viewer of a team', async ({ server, open }) => {
    answerTemplates(server, { templates: [listedTemplate()] })
    server.on('GET /api/me', me({ team: true, role: 'viewer', home: false }))
    await open('/templates', WIDE)
    await expect.element(panel('retry_queue').getByText('3 examples')).toBeVisible()
    for (const name of ['From a session', 'Delete retry_queue', 'Copy as'])
      await expect.element(button(name)).not.toBeInTheDocument()
    await expect.element(page.getByText('Suggested sessions')).toBeVisible()
    await expect.element(page.getByRole('button', { name: /^Preview/ })).not.toBeInTheDocument()
  })
})

describe('the effect of a template', () => {
  const compared = measure()
  const helps = listedTemplate({ name: 'seen', usage_count: 34 })
  const seen = {
    ...helps,
    effect: {
      ...helps.effect,
      with_sessions: 34,
      without_sessions: 41,
      verdict: 'helps' as const,
      says: 'Sessions with it had fewer tool errors.',
      tool_errors: compared,
    },
  }

  it('is shown with its interval and passes axe at every width', async ({ server, open }) => {
    answerTemplates(server, {
      templates: [seen],
      experiment: 0.5,
      broken: [{ file: '/home/dev/.panoptes/templates/half.json', reason: 'is not JSON' }],
    })
    server.on('GET /api/templates/seen/whole', wholeTemplate(seen, [compared]))
    await open('/templates?name=seen', WIDE)
    const card = page.getByRole('region', { name: 'Does seen help?' })
    await expect
      .element(card.getByRole('row').nth(1))
      .toHaveTextContent('Tool errorsfewer8 %19 %−11 pts−19 … −3−19 … −3fewer')
    await expect.element(card.getByText('A/B test on, half of sessions')).toBeVisible()
    await expect
      .element(page.getByRole('img', { name: '−11 pts, 95 % interval from −19 pts to −3 pts' }))
      .toBeVisible()
    await expect.element(row('seen.*Helps.*34 with, 41 without')).toBeVisible()
    await expectAccessible()
    await page.viewport(390, 844)
    await expect.element(panel('seen').getByText('Does seen help?')).toBeVisible()
    expect(document.documentElement.scrollWidth).toBe(390)
    await expectAccessible()
    // Both buttons must be on the sheet and not covered by it.
    for (const name of ['Delete seen', 'From a session']) {
      const box = button(name).element().getBoundingClientRect()
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
      expect(button(name).element().contains(top), name).toBe(true)
    }
    const strip = page
      .getByText(/^1 file is not a valid template/)
      .element()
      .getBoundingClientRect()
    expect(strip.width / innerWidth).toBeGreaterThan(0.7)
    await userEvent.keyboard('{Escape}')
    await expect.element(panel('seen')).not.toBeInTheDocument()
    await expectAccessible()
  })
})
