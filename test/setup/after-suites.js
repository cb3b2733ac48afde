module.exports = require('./temp-folder').remove;
