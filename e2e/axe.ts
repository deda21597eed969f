import axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from './page-kit.ts'

const THEMES = ['dark', 'light'] as const
const RULES = { all: undefined, colors: ['color-contrast', 'link-in-text-block'] } as const

/** Everything axe finds wrong with what is on the screen; or what its rules about colours do. */
export async function axe(page: Page, rules: keyof typeof RULES = 'all'): Promise<readonly string[]> {
  const there = await page.evaluate(() => 'axe' in globalThis)
  if (!there) await page.evaluate(axeCore.source)
  // The guards around a menu take the focus only to hand it on, which axe cannot know.
  const violations = await page.evaluate(async (runOnly) => {
    const { axe: tool } = globalThis as unknown as {
      axe: {
        run(
          context: object,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const context = { exclude: ['[data-base-ui-focus-guard]'] }
    // It would read all style sheets for one rule that it does not ask unless told to.
    const preload = { assets: ['media'] }
    const options = { resultTypes: ['violations'], preload, ...(runOnly && { runOnly }) }
    return (await tool.run(context, options)).violations
  }, RULES[rules])
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  )
}

/** From now on this page, and what is opened in its window, shows the theme that the system asks for. */
export async function followSystem(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem('panoptes.theme', 'system'))
  await page.reload()
}

/**
 * Nothing that axe complains of in either theme; the page follows the system and is drawn once. What the second theme
 * changes is the colours alone.
 */
export async function expectNothingInBothThemes(page: Page, where: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await eventually(() => page.locator('html').getAttribute('data-theme')).toBe(theme)
    expect({ where, theme, found: await axe(page, theme === THEMES[0] ? 'all' : 'colors') }).toEqual({
      where,
      theme,
      found: [],
    })
  }
}

/** Goes to another address of the page as a link in it does, without drawing the window anew. */
export const goWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    const scope = globalThis as unknown as {
      history: { pushState(state: object, name: string, to: string): void }
    }
    scope.history.pushState({}, '', to)
  }, path)
