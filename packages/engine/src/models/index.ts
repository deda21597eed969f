export { createPrices, type OwnPrice, type Prices } from './prices.ts'
